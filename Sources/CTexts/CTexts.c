// The catalogs are part of the program, so they don't depend on its location and need no file.
#include "CTexts.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char en[] = {
#embed "en.strings" suffix(, 0)
};

static const unsigned char pl[] = {
#embed "pl.strings" suffix(, 0)
};

static const unsigned char species[] = {
#embed "SpeciesTaxonomy.json" suffix(, 0)
};

static const unsigned char import_page[] = {
#embed "import-page.mustache" suffix(, 0)
};

const unsigned char *petspot_texts_en(void) { return en; }

const unsigned char *petspot_texts_pl(void) { return pl; }

const unsigned char *petspot_species(void) { return species; }

const unsigned char *petspot_import_page(void) { return import_page; }
