/**
 * The exports of the bundle: `mount` for any page, the default for anywidget; a standalone page opens itself.
 */

import { openPage } from "../hosts/page.ts";
import { initialize, render } from "../hosts/widget.ts";

export { mount } from "../hosts/mount.tsx";
export default { initialize, render };

openPage(document);
