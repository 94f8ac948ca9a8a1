#pragma once

// SHA256_Init and its kin keep their state in a plain value, without a lock, memory or a file of
// settings; OpenSSL 3 would rather have its own objects used.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
