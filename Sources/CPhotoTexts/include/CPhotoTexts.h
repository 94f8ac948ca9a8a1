#ifndef CPHOTOTEXTS_H
#define CPHOTOTEXTS_H

/// Returns the English sentences about photos and stores (`en.strings`), terminated by a zero byte.
extern const unsigned char *_Nonnull petspot_photo_texts_en(void);

/// Returns the Polish sentences about photos and stores (`pl.strings`), terminated by a zero byte.
extern const unsigned char *_Nonnull petspot_photo_texts_pl(void);

#endif
