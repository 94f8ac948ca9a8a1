#pragma once

// SHA256_Init and related functions keep their state in a plain struct. They need no lock, allocation or configuration
// file. OpenSSL 3 deprecates them in favor of its own objects.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
