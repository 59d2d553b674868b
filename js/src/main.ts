/**
 * The exports of the bundle: `mount` for any page, the default for anywidget; a standalone page opens itself.
 */

import { openPage } from "./page.ts";
import { initialize, render } from "./widget.ts";

export { mount } from "./mount.tsx";
export default { initialize, render };

openPage(document);
