#define _GNU_SOURCE
#include "CSandbox.h"

#include <link.h>
#include <string.h>

struct receiver {
  petspot_object_receiver receive;
  void *context;
};

static int list_object(struct dl_phdr_info *object, size_t size, void *pointer) {
  (void)size;
  const struct receiver *receiver = pointer;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = object->dlpi_phdr + i;
    if (header->p_type != PT_NOTE) continue;
    const uint8_t *at = (const uint8_t *)(object->dlpi_addr + header->p_vaddr);
    const uint8_t *end = at + header->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
      const uint8_t *name = at + sizeof *note, *id = name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        receiver->receive(receiver->context, object->dlpi_name, id, note->n_descsz);
        return 0;
      }
      at = id + ((note->n_descsz + 3) & ~3u);
    }
  }
  receiver->receive(receiver->context, object->dlpi_name, NULL, 0);
  return 0;
}

void petspot_list_objects(petspot_object_receiver receive, void *context) {
  struct receiver receiver = {receive, context};
  dl_iterate_phdr(list_object, &receiver);
}
