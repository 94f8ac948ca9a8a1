import ImageContainers

/// Stage 2: reads the container's structure, holds it to the limits, and rewrites it with nothing
/// but what decoding needs, all before any C decoder sees a byte.
enum Walker {
  static func walk(
    _ bytes: [UInt8], as format: ImageFormat, limits: ContainerLimits
  ) throws(PhotoError) -> (facts: ImageFacts, clean: [UInt8]) {
    do throws(ContainerError) {
      let facts = try ImageContainer.walk(bytes, as: format, limits: limits)
      return (facts, try ImageContainer.clean(bytes, as: format, limits: limits))
    } catch {
      throw PhotoError(error)
    }
  }
}
