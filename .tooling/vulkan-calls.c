// A Vulkan driver in front of lavapipe that counts calls and prints the counts at the end of the process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef void (*Function)(void);
typedef Function (*Lookup)(void *, const char *);
#define COUNTED(X) X(AllocateMemory) X(MapMemory) X(CreateBuffer) X(CmdPipelineBarrier) X(CmdDispatch) \
  X(CmdDispatchIndirect) X(CmdCopyBuffer) X(CmdFillBuffer) X(CmdWriteTimestamp) X(QueueSubmit)
// As many arguments as any of them has: the caller cleans up.
#define ARGS uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h, uint64_t i, uint64_t j
typedef uint64_t (*Any)(ARGS);
#define WRAP(N) static long count##N; static Any real##N; \
  static uint64_t wrap##N(ARGS) { count##N++; return real##N(a, b, c, d, e, f, g, h, i, j); }
COUNTED(WRAP)

static void *driver;
static Lookup instanceLookup, deviceLookup;
static void load(void) {
  if (driver) return;
  driver = dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
  if (!driver) { fprintf(stderr, "%s\n", dlerror()); abort(); }
  instanceLookup = (Lookup)dlsym(driver, "vk_icdGetInstanceProcAddr");
}
static Function wrapped(const char *name, Function f) {
#define TAKE(N) if (f && !strcmp(name, "vk" #N)) { real##N = (Any)f; return (Function)wrap##N; }
  COUNTED(TAKE)
  return f;
}
static Function ofDevice(void *device, const char *name) { return wrapped(name, deviceLookup(device, name)); }
Function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
  load();
  if (strcmp(name, "vkGetDeviceProcAddr")) return wrapped(name, instanceLookup(instance, name));
  deviceLookup = (Lookup)instanceLookup(instance, name);
  return (Function)ofDevice;
}
Function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
  load();
  Lookup lookup = (Lookup)dlsym(driver, "vk_icdGetPhysicalDeviceProcAddr");
  return lookup ? lookup(instance, name) : 0;
}
uint32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  load();
  uint32_t (*ask)(uint32_t *) = (uint32_t(*)(uint32_t *))dlsym(driver, "vk_icdNegotiateLoaderICDInterfaceVersion");
  return ask ? ask(version) : 0;
}
__attribute__((destructor)) static void tell(void) {
  if (!driver) return;
  printf("[vk]");
#define TELL(N) printf(" " #N "=%ld", count##N);
  COUNTED(TELL)
  printf("\n");
}
