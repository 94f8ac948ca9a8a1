// The code of the article UploadsFromIPhones. It is compiled only where Photos is, and was not run.
#if canImport(Photos) && os(iOS)
  import Foundation
  import Photos

  /// Uploads a photo's file. The system resumes the upload if the connection breaks.
  func upload(_ file: URL, to address: URL, token: String) async throws -> Bool {
    var request = URLRequest(url: address)
    request.httpMethod = "PUT"
    request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
    request.setValue("image/heic", forHTTPHeaderField: "Content-Type")
    request.setValue(
      "attachment; filename=\"\(file.lastPathComponent)\"",
      forHTTPHeaderField: "Content-Disposition")
    let (_, response) = try await URLSession.shared.upload(for: request, fromFile: file)
    let fields = response as? HTTPURLResponse
    return fields?.value(forHTTPHeaderField: "Photo-State") == "confirmed"
  }

  /// Hands photos to the system, each under an address of its own.
  func enqueue(_ assets: [PHAsset], token: String) throws {
    try PHPhotoLibrary.shared().performChangesAndWait {
      for asset in assets {
        let resources = PHAssetResource.assetResources(for: asset)
        guard let photo = resources.first(where: { $0.type == .photo }) else { continue }
        let name = asset.localIdentifier.replacing("/", with: "-")
        var request = URLRequest(url: URL(string: "https://shelter.example/pets/\(name)/photo")!)
        request.httpMethod = "PUT"
        request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        request.setValue(
          "attachment; filename=\"\(photo.originalFilename)\"",
          forHTTPHeaderField: "Content-Disposition")
        PHAssetResourceUploadJobChangeRequest.createJob(destination: request, resource: photo)
      }
    }
  }

  /// Retries the jobs that failed once, and lets go of the others.
  func settle() throws {
    try PHPhotoLibrary.shared().performChangesAndWait {
      PHAssetResourceUploadJob.fetchJobs(action: .retry, options: nil).enumerateObjects {
        job, _, _ in
        PHAssetResourceUploadJobChangeRequest(for: job)?.retry(destination: nil)
      }
      PHAssetResourceUploadJob.fetchJobs(action: .acknowledge, options: nil)
        .enumerateObjects { job, _, _ in
          PHAssetResourceUploadJobChangeRequest(for: job)?.acknowledge()
        }
    }
  }
#endif
