import ImageContainers

// Calls one format's reader and writer as `ImageContainer` does.

enum GIFContainer {
  static func parse(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    try ImageContainer.parse(bytes, as: .gif, limits: limits)
  }

  static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    try ImageContainer.clean(bytes, as: .gif, limits: limits)
  }
}

enum WebPContainer {
  static func parse(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    try ImageContainer.parse(bytes, as: .webp, limits: limits)
  }

  static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    try ImageContainer.clean(bytes, as: .webp, limits: limits)
  }
}

extension PNGContainer {
  static func parse(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    try ImageContainer.parse(bytes, as: .png, limits: limits)
  }

  static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    try ImageContainer.clean(bytes, as: .png, limits: limits)
  }
}

extension HEICContainer {
  static func parse(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> ImageFacts {
    try ImageContainer.parse(bytes, as: .heic, limits: limits)
  }

  static func clean(
    _ bytes: [UInt8], limits: ContainerLimits = .init()
  ) throws(ContainerError) -> [UInt8] {
    try ImageContainer.clean(bytes, as: .heic, limits: limits)
  }
}
