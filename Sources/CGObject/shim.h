// GLib's object system for `CVips`, which opens libvips itself.
#pragma once
#include <glib-object.h>
