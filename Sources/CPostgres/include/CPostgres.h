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
// Connects once more. If a server refuses, `petspot_pq_error` then ends with its SQLSTATE instead of words in
// whatever language the server speaks. libpq has no other way to get that of a refused connection.
void petspot_pq_reconnect(petspot_pq_connection *connection);
// 1 when a server asked for a password and none was given.
int petspot_pq_needs_password(petspot_pq_connection *connection);
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

// One of several statements that are sent together.
typedef struct petspot_pq_statement {
  const char *name;  // what the server knows it by, or is to know it by; NULL for one that comes once
  const char *sql;   // NULL when the server knows `name`
  int count;
  const char *const *values;  // texts, NULL for none
  // The answer.
  petspot_pq_result *result;  // to be cleared; NULL when none came
  int is_known;               // 1 when the server has learned `name` just now
} petspot_pq_statement;

// Sends statements in one piece and waits for their answers (libpq's pipeline mode). One that fails
// lets none of those after it happen; outside of a transaction all of them are one. 0 when they could
// not all be sent, or when their end was not answered: then the connection is of no use any more, and
// whether they happened is open.
int petspot_pq_ask(
    petspot_pq_connection *connection, petspot_pq_statement *statements, int count);

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
