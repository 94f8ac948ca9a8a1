import ImageContainers

/// Stage 2: reads the container's structure, holds it to the limits, and rewrites it with nothing
/// but what decoding needs, all before any C decoder sees a byte.
enum Walker {
  /// - Parameter readingData: whether the data of a PNG or WebP is read to its last row, too.
  static func walk(
    _ bytes: [UInt8], as format: ImageFormat, limits: ContainerLimits, readingData: Bool
  ) throws(PhotoError) -> (facts: ImageFacts, clean: [UInt8]) {
    do throws(ContainerError) {
      return try ImageContainer.walkAndClean(
        bytes, as: format, limits: limits, readingData: readingData)
    } catch {
      throw PhotoError(error)
    }
  }

  /// The streams of a HEIC and of its alpha, nil when only libheif can put it together.
  static func streams(
    in heic: [UInt8], limits: ContainerLimits
  ) throws(PhotoError) -> HEVCPicture.Streams? {
    do throws(ContainerError) { return try HEICContainer.streams(in: heic, limits: limits) } catch {
      throw PhotoError(error)
    }
  }

  /// The pictures of an overlay, nil of any other HEIC.
  static func overlay(
    in bytes: [UInt8], limits: ContainerLimits
  ) throws(PhotoError) -> HEICOverlay? {
    do throws(ContainerError) { return try HEICContainer.overlay(in: bytes, limits: limits) } catch
    {
      throw PhotoError(error)
    }
  }

  /// One of them: what it is, and a HEIC of it alone.
  static func layer(
    _ index: Int, of overlay: HEICOverlay
  ) throws(PhotoError) -> (facts: ImageFacts, clean: [UInt8]) {
    do throws(ContainerError) { return try overlay.layer(index) } catch { throw PhotoError(error) }
  }

  /// A JPEG of one scan, every code of which was read, so that its data is whole; nil when that takes a
  /// decoder.
  ///
  /// - Parameter isAnew: whether all of it is coded anew from its coefficients.
  static func read(
    _ jpeg: [UInt8], codingAnew isAnew: Bool, limits: ContainerLimits
  ) throws(PhotoError) -> [UInt8]? {
    do throws(ContainerError) {
      return try isAnew
        ? JPEGContainer.codedAnew(jpeg, limits: limits) : JPEGContainer.read(jpeg, limits: limits)
    } catch {
      throw PhotoError(error)
    }
  }

  /// Reads the codes of a JPEG that a decoder is to show, whatever is missing.
  ///
  /// - Throws: `PhotoError.incomplete` when they do not yield every block of the picture.
  static func checkWhole(_ jpeg: [UInt8], limits: ContainerLimits) throws(PhotoError) {
    do throws(ContainerError) {
      try JPEGContainer.checkWhole(jpeg, limits: limits)
    } catch {
      throw PhotoError(error)
    }
  }

  /// An ordinary JPEG turned without loss; nil when that takes decoding.
  static func turned(
    _ jpeg: [UInt8], orientation: Int, limits: ContainerLimits
  ) throws(PhotoError) -> [UInt8]? {
    do throws(ContainerError) {
      return try JPEGContainer.turned(jpeg, orientation: orientation, limits: limits)
    } catch {
      throw PhotoError(error)
    }
  }

  /// The frame of an APNG that browsers show first, nil when libvips shows the same by itself.
  static func firstFrame(
    of apng: [UInt8], limits: ContainerLimits
  ) throws(PhotoError) -> (png: [UInt8], left: Int, top: Int)? {
    do throws(ContainerError) {
      return try PNGContainer.firstFrame(of: apng, limits: limits)
    } catch {
      throw PhotoError(error)
    }
  }

  /// The pictures of an APNG, each to be coded again; nil when it is none.
  static func recoding(
    of apng: [UInt8], limits: ContainerLimits
  ) throws(PhotoError) -> PNGRecoding? {
    do throws(ContainerError) { return try PNGRecoding(apng, limits: limits) } catch {
      throw PhotoError(error)
    }
  }

  /// An APNG of pictures that were coded again.
  ///
  /// - Throws: `PhotoError.fault`: what does not fit is our own encoder's.
  static func joined(
    _ pictures: [[UInt8]], in recoding: PNGRecoding, turnedFrom orientation: Int
  ) throws(PhotoError) -> [UInt8] {
    do throws(ContainerError) {
      return try recoding.joined(pictures, turnedFrom: orientation)
    } catch {
      throw .fault(.encoderStructure)
    }
  }

  /// The frames of an APNG as still PNGs, each made when it is asked for.
  static func frames(
    of apng: [UInt8], limits: ContainerLimits
  ) throws(PhotoError) -> some RandomAccessCollection<[UInt8]> {
    do throws(ContainerError) { return try PNGContainer.frames(of: apng, limits: limits) } catch {
      throw PhotoError(error)
    }
  }
}
