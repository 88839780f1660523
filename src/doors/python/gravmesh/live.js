/**
 * What anywidget shows for a run: its live page in a frame, and when it has ended the picture that is left of it. The page is
 * served on the kernel's machine, to this one alone.
 */
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function page(address, height) {
  const frame = element("iframe", { src: address, title: "gravmesh" });
  frame.style.cssText = `width: 100%; height: ${height}px; border: 0`;
  const { port } = new URL(address);
  const link = element("a", { href: address, target: "_blank", rel: "noreferrer", textContent: "in a tab of its own" });
  const remote = ` · where the kernel is on another machine: ssh -L ${port}:127.0.0.1:${port} HOST`;
  return [frame, element("small", {}, link, remote)];
}

function picture(bytes) {
  const image = element("img", {
    src: URL.createObjectURL(new Blob([bytes], { type: "image/png" })),
    alt: "projected density",
  });
  image.onload = () => URL.revokeObjectURL(image.src);
  return [image];
}

function render({ model, el }) {
  const show = () => {
    const bytes = model.get("picture");
    el.replaceChildren(...(bytes?.byteLength > 0 ? picture(bytes) : page(model.get("address"), model.get("height"))));
  };
  show();
  model.on("change:picture", show);
  return () => model.off("change:picture", show);
}

export default { render };
