import ArgumentParser

/// Encodes the values of a command's own options and flags by the names of their properties.
struct GivenOptions: Encodable {
  private let command: any ParsableArguments

  init(of command: some ParsableArguments) { self.command = command }

  private struct Name: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    // A property wrapper is stored under its property's name with an underscore.
    for child in Mirror(reflecting: command).children {
      guard let name = child.label?.dropFirst(), let option = child.value as? any OptionValue else {
        continue
      }
      try container.encode(option.value, forKey: Name(stringValue: String(name)))
    }
  }
}

/// An option or flag whose value can be encoded.
private protocol OptionValue {
  associatedtype Value: Encodable
  var wrappedValue: Value { get }
}

extension OptionValue {
  var value: any Encodable { wrappedValue }
}

extension Option: OptionValue where Value: Encodable {}

extension Flag: OptionValue where Value: Encodable {}
