// What each widget sends instead of the bundle: it asks the one assets widget of the kernel for `render`.
export default {
  async render({ model, el, host, signal }) {
    const { exports } = await host.getWidget(model.get("assets"));
    return exports.render({ model, el, signal });
  },
};
