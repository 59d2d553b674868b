// What each widget sends instead of the bundle: it asks the one assets widget of the kernel for `render`.
const key = Symbol.for("jitviz.bundles");
globalThis[key] ??= new Map();
const bundles = globalThis[key];

// Before anywidget 0.11 there is no host: the page imports the bundle once, from the state of the assets widget.
function imported(manager, id) {
  if (!bundles.has(id)) {
    const load = async () => {
      const assets = await manager.get_model(id);
      const url = URL.createObjectURL(new Blob([assets.get("_esm")], { type: "text/javascript" }));
      return { exports: (await import(url)).default.initialize() };
    };
    bundles.set(id, load());
    bundles.get(id).catch(() => bundles.delete(id));
  }
  return bundles.get(id);
}

export default {
  async render({ model, el, host, signal }) {
    const reference = model.get("assets");
    const { exports } = await (host?.getWidget(reference) ?? imported(model.widget_manager, reference.split(":")[1]));
    return exports.render({ model, el, signal });
  },
};
