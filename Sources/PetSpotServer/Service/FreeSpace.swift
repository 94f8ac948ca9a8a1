import PhotoUploads

extension FreeSpace {
  /// Warnings begin at five times and at twice the bytes that stay free. Both use the standard value if it's larger.
  var level: StoreWatch.Space {
    guard let free else { return .enough }
    let floor = max(floor, usualFloor)
    // Divides `free`, because multiplying the largest `floor` would overflow.
    return if isLow() { .full } else if free / 2 < floor { .veryLow } else if free / 5 < floor {
      .low
    } else { .enough }
  }
}
