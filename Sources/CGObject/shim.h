// The object system that libvips is made of, for `CVips`, which opens libvips itself.
#pragma once
#include <glib-object.h>
