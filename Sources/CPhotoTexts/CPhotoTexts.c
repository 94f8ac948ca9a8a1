// The catalogs are part of the program, so they don't depend on its location and need no file.
#include "CPhotoTexts.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char en[] = {
#embed "en.strings" suffix(, 0)
};

static const unsigned char pl[] = {
#embed "pl.strings" suffix(, 0)
};

const unsigned char *petspot_photo_texts_en(void) { return en; }

const unsigned char *petspot_photo_texts_pl(void) { return pl; }
