/** What to switch on where a browser offers no WebGPU, by what the browser calls itself. */

/** The advice, a sentence or two. */
export function switchOn(userAgent: string, secure: boolean): string {
  if (!secure) return "Browsers offer WebGPU on https:// and on localhost alone: open the page from there";
  if (/Firefox\//.test(userAgent)) {
    return "Firefox has WebGPU on Windows from 141 and on macOS from 145; elsewhere open about:config, set both dom.webgpu.enabled and gfx.webgpu.ignore-blocklist to true, and start it again";
  }
  if (/Chrom(e|ium)\/|Edg\//.test(userAgent)) {
    return /Linux|X11/.test(userAgent) && !/Android/.test(userAgent)
      ? "On Linux open chrome://flags, switch on “Unsafe WebGPU Support” and “Vulkan”, and start the browser again; or start it with --enable-unsafe-webgpu --enable-features=Vulkan"
      : "Switch on “Use graphics acceleration when available” in the settings under System, update the browser to 113 or later, and look at chrome://gpu";
  }
  if (/Safari\//.test(userAgent)) {
    return "Safari has WebGPU from 26; in earlier versions switch it on in Settings, Feature Flags (Develop menu)";
  }
  return "Chrome, Edge, Firefox and Safari have WebGPU in their present versions";
}
