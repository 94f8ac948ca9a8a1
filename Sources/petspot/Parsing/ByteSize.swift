import ArgumentParser
import Foundation

/// A number of bytes in an argument: digits, with a unit behind them if wanted.
enum ByteSize {
  /// The bytes of a text such as `20000000`, `20MB`, `10 GB` or `20MiB`.
  static func parse(_ text: String) throws -> Int {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).uppercased()
    guard let number = Int(digits), number > 0, let factor = units[unit] else {
      throw ValidationError(
        Speech.pick(
          en: "A size is a number of bytes from 1, such as 20000000, 20MB or 20MiB, not \(text).",
          pl: "Rozmiar to liczba bajtów od 1, na przykład 20000000, 20MB lub 20MiB, a nie \(text).")
      )
    }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: factor)
    return isTooLarge ? .max : bytes
  }

  private static let units = [
    "": 1, "B": 1, "K": 1000, "KB": 1000, "KIB": 1 << 10, "M": 1_000_000, "MB": 1_000_000,
    "MIB": 1 << 20, "G": 1_000_000_000, "GB": 1_000_000_000, "GIB": 1 << 30,
    "T": 1_000_000_000_000, "TB": 1_000_000_000_000, "TIB": 1 << 40,
  ]
}
