/**
 * What a test must be able to do to the stage's worker, from before that begins: take WebGPU away, lose a device, spoil a
 * kernel's code, count the buffers that are alive.
 * `?without=gpu` takes WebGPU away; the channel "lab" hears "lose", "buffers" and the name of kernels that are spoilt from then
 * on, none where it is empty.
 */
const buffers = new Set<GPUBuffer>();
const losses: ((info: { reason: string; message: string }) => void)[] = [];
const channel = new BroadcastChannel("lab");
let spoilt = "";

if (self.location.search === "?without=gpu") {
  Object.defineProperty(Object.getPrototypeOf(navigator), "gpu", { get: () => undefined });
} else {
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (...options) {
    const device = await requestDevice.apply(this, options);
    const lost = new Promise((resolve) => losses.push(resolve));
    Object.defineProperty(device, "lost", { value: lost });
    return device;
  };
  const { createBuffer, createShaderModule } = GPUDevice.prototype;
  GPUDevice.prototype.createShaderModule = function (description) {
    const refused = spoilt !== "" && description.label?.startsWith(spoilt);
    return createShaderModule.call(this, refused ? { ...description, code: `${description.code}\nfn ;` } : description);
  };
  GPUDevice.prototype.createBuffer = function (description) {
    const buffer = createBuffer.call(this, description);
    buffers.add(buffer);
    return buffer;
  };
  const { destroy } = GPUBuffer.prototype;
  GPUBuffer.prototype.destroy = function () {
    buffers.delete(this);
    return destroy.call(this);
  };
}

channel.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === "lose") {
    for (const lose of losses.splice(0)) lose({ reason: "unknown", message: "the driver was restarted" });
    return;
  }
  if (data !== "buffers") spoilt = data;
  channel.postMessage({ count: buffers.size, bytes: [...buffers].reduce((n, b) => n + b.size, 0) });
};

export {};
