// PostgreSQL's client library (libpq), opened when the first connection is wanted: whoever keeps photos
// in a folder neither links nor loads it. Functions that have libpq's names do what libpq's
// documentation says of them; call them after `petspot_pq_open` gave NULL.
#pragma once
#include <stddef.h>

// NULL once the library is open, else why it is not.
const char *petspot_pq_open(void);

typedef struct pg_conn petspot_pq_connection;
typedef struct pg_result petspot_pq_result;

// A notice of LISTEN, to be freed with `petspot_pq_free`.
typedef struct petspot_pq_notice {
  char *channel;
  int sender;
  char *payload;
  struct petspot_pq_notice *next;
} petspot_pq_notice;

// One setting of an address; the list ends with one whose keyword is NULL.
typedef struct petspot_pq_setting {
  char *keyword, *variable, *compiled, *value, *label, *display;
  int size;
} petspot_pq_setting;

petspot_pq_setting *petspot_pq_parse(const char *address, char **error);
petspot_pq_setting *petspot_pq_defaults(void);
void petspot_pq_free_settings(petspot_pq_setting *settings);
void petspot_pq_free(void *memory);

// The last setting of a name counts; notices to people are swallowed.
petspot_pq_connection *petspot_pq_connect(const char *const *names, const char *const *values);
void petspot_pq_finish(petspot_pq_connection *connection);
int petspot_pq_is_connected(petspot_pq_connection *connection);
// 1 between BEGIN and the end of a transaction.
int petspot_pq_is_in_transaction(petspot_pq_connection *connection);
const char *petspot_pq_error(petspot_pq_connection *connection);
int petspot_pq_server_version(petspot_pq_connection *connection);
int petspot_pq_library_version(void);
int petspot_pq_socket(petspot_pq_connection *connection);
int petspot_pq_consume(petspot_pq_connection *connection);
petspot_pq_notice *petspot_pq_next_notice(petspot_pq_connection *connection);

petspot_pq_result *petspot_pq_run(petspot_pq_connection *connection, const char *sql);
petspot_pq_result *petspot_pq_prepare(
    petspot_pq_connection *connection, const char *name, const char *sql);
// Values are texts, NULL for none; `name` is of a prepared statement.
petspot_pq_result *petspot_pq_run_prepared(
    petspot_pq_connection *connection, const char *name, int count, const char *const *values);
petspot_pq_result *petspot_pq_run_once(
    petspot_pq_connection *connection, const char *sql, int count, const char *const *values);

// 1 when it was done, 0 when it failed.
int petspot_pq_is_done(const petspot_pq_result *result);
// `code` is one of libpq's PG_DIAG letters.
const char *petspot_pq_error_field(const petspot_pq_result *result, int code);
int petspot_pq_rows(const petspot_pq_result *result);
int petspot_pq_columns(const petspot_pq_result *result);
unsigned petspot_pq_type(const petspot_pq_result *result, int column);
// NULL for SQL's NULL.
const char *petspot_pq_value(const petspot_pq_result *result, int row, int column, int *length);
// How many rows a change touched, as text.
const char *petspot_pq_touched(petspot_pq_result *result);
void petspot_pq_clear(petspot_pq_result *result);
