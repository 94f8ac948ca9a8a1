#ifndef CTEXTS_H
#define CTEXTS_H

/// The catalog of texts in English (`en.strings`), ended by a zero byte.
extern const unsigned char *_Nonnull petspot_texts_en(void);

/// The catalog of texts in Polish (`pl.strings`), ended by a zero byte.
extern const unsigned char *_Nonnull petspot_texts_pl(void);

/// The species one can choose from (`SpeciesTaxonomy.json`), ended by a zero byte.
extern const unsigned char *_Nonnull petspot_species(void);

/// The template of an import's report (`import-page.mustache`), ended by a zero byte.
extern const unsigned char *_Nonnull petspot_import_page(void);

#endif
