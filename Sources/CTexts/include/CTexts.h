#ifndef CTEXTS_H
#define CTEXTS_H

/// Returns the English text catalog (`en.strings`), terminated by a zero byte.
extern const unsigned char *_Nonnull petspot_texts_en(void);

/// Returns the Polish text catalog (`pl.strings`), terminated by a zero byte.
extern const unsigned char *_Nonnull petspot_texts_pl(void);

/// Returns the list of species (`SpeciesTaxonomy.json`), terminated by a zero byte.
extern const unsigned char *_Nonnull petspot_species(void);

/// Returns the template of the import report (`import-page.mustache`), terminated by a zero byte.
extern const unsigned char *_Nonnull petspot_import_page(void);

#endif
