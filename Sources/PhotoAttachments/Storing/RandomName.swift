import Hashing

/// A name that nobody else has and nobody can guess: 128 random bits as 32 lower-case hexadecimal digits.
package func randomName() -> String { randomBytes(16).hexadecimal }
