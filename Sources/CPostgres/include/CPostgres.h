// Access to PostgreSQL's client library (libpq). It's opened for the first connection, so a program that stores photos
// in a folder neither links nor loads it. Functions named after libpq's behave as libpq's documentation describes. Call
// them only after `petspot_pq_open` has returned NULL.
#pragma once
#include <stddef.h>

// Opens the library. Returns NULL on success, or the reason for the failure.
const char *petspot_pq_open(void);

typedef struct pg_conn petspot_pq_connection;
typedef struct pg_result petspot_pq_result;

// A notification for LISTEN. Free it with `petspot_pq_free`.
typedef struct petspot_pq_notice {
  char *channel;
  int sender;
  char *payload;
  struct petspot_pq_notice *next;
} petspot_pq_notice;

// A setting of a connection string. The list ends with a setting whose keyword is NULL.
typedef struct petspot_pq_setting {
  char *keyword, *variable, *compiled, *value, *label, *display;
  int size;
} petspot_pq_setting;

petspot_pq_setting *petspot_pq_parse(const char *address, char **error);
petspot_pq_setting *petspot_pq_defaults(void);
void petspot_pq_free_settings(petspot_pq_setting *settings);
void petspot_pq_free(void *memory);

// Connects. If a name is repeated, its last setting applies. The server's notices are discarded.
petspot_pq_connection *petspot_pq_connect(const char *const *names, const char *const *values);
// Connects again. If the server refuses, `petspot_pq_error` then ends with the SQLSTATE instead of a message in the
// server's language. libpq has no other way to get the SQLSTATE of a refused connection.
void petspot_pq_reconnect(petspot_pq_connection *connection);
// Returns 1 if the server requested a password and none was given.
int petspot_pq_needs_password(petspot_pq_connection *connection);
void petspot_pq_finish(petspot_pq_connection *connection);
int petspot_pq_is_connected(petspot_pq_connection *connection);
// Returns 1 between BEGIN and the end of a transaction.
int petspot_pq_is_in_transaction(petspot_pq_connection *connection);
const char *petspot_pq_error(petspot_pq_connection *connection);
int petspot_pq_server_version(petspot_pq_connection *connection);
int petspot_pq_library_version(void);
int petspot_pq_socket(petspot_pq_connection *connection);
int petspot_pq_consume(petspot_pq_connection *connection);
petspot_pq_notice *petspot_pq_next_notice(petspot_pq_connection *connection);

petspot_pq_result *petspot_pq_run(petspot_pq_connection *connection, const char *sql);

// A statement that is sent together with others.
typedef struct petspot_pq_statement {
  const char *name;  // the prepared name, or NULL for a statement that runs once
  const char *sql;   // NULL if the server has already prepared `name`
  int count;
  const char *const *values;  // in text format; NULL for SQL's NULL
  // The response.
  petspot_pq_result *result;  // free it with petspot_pq_clear; NULL if there was no response
  int is_known;               // 1 if the server has now prepared `name`
} petspot_pq_statement;

// Sends statements together and waits for their results (libpq's pipeline mode). If a statement fails, those after it
// aren't executed. Outside of a transaction, all of them form one. Returns 0 if they couldn't be sent completely or the
// end of the pipeline didn't arrive. The connection is then unusable, and it's unknown whether the statements were
// executed.
int petspot_pq_ask(
    petspot_pq_connection *connection, petspot_pq_statement *statements, int count);

// Returns 1 if the statement succeeded, or 0 if it failed.
int petspot_pq_is_done(const petspot_pq_result *result);
// Returns an error field. `code` is one of libpq's PG_DIAG letters.
const char *petspot_pq_error_field(const petspot_pq_result *result, int code);
int petspot_pq_rows(const petspot_pq_result *result);
int petspot_pq_columns(const petspot_pq_result *result);
unsigned petspot_pq_type(const petspot_pq_result *result, int column);
// Returns NULL for SQL's NULL.
const char *petspot_pq_value(const petspot_pq_result *result, int row, int column, int *length);
// Returns the number of rows that a statement changed, as text.
const char *petspot_pq_touched(petspot_pq_result *result);
void petspot_pq_clear(petspot_pq_result *result);
