import HTTPTypes

/// The routes of all pages, and of the files that they load.
struct PageRoutes: Sendable {
  let site: Site

  var routes: [Route] {
    let (report, photo) = (ReportPage(site: site), PhotoPage(site: site))
    let (chip, contact) = (ChipPage(site: site), ContactPage(site: site))
    let (description, summary) = (DescriptionPage(site: site), SummaryPage(site: site))
    let (one, owner) = (AnnouncementPage(site: site), OwnerPage(site: site))
    let uploads = UploadsResource(site: site, owner: photo.uploadOwner)
    let needs: Set<ServerStore> = [.database, .pictures]
    return [
      Route(.get, "/", LandingPage(site: site).showPage),
      Route(.get, "/announcements", AnnouncementsPage(site: site).showPage),
      Route(.get, "/announcements.atom", AnnouncementFeed(site: site).showAtom),
      Route(.get, "/announcements.json", AnnouncementFeed(site: site).showJSON),
      Route(.get, "/announcements/{id}", one.showPage),
      Route(.get, "/a/{code}", one.follow),
      Route(.get, "/announcements/{id}/poster", PosterPage(site: site).showPage),
      Route(.get, "/announcements/{id}/owner", owner.showPage),
      Route(.post, "/announcements/{id}/owner", owner.receive),
      Route(.get, "/announcements/{id}/owner/lost-code", LostCodePage(site: site).showPage),
      Route(.post, "/announcements/{id}/owner/lost-code", LostCodePage(site: site).receive),
      Route(.post, "/announcements/{id}/owner/photo", needs: needs, owner.replacePhoto),
      Route(.post, "/announcements/{id}/owner/close", owner.close),
      Route(.post, "/announcements/{id}/owner/reopen", owner.reopen),
      Route(.post, "/announcements/{id}/owner/erase", owner.erase),
      Route(.get, "/report", report.showCurrentStep),
      Route(.post, "/report", report.beginAnew),
      Route(.get, "/report/chip", chip.showPage),
      Route(.post, "/report/chip", chip.receive),
      Route(.post, "/report/chip/typed", chip.saveTyped),
      Route(.get, "/report/photo", needs: needs, photo.showPage),
      Route(.post, "/report/photo", needs: needs, photo.receive),
      Route(.post, "/report/photo/remove", photo.remove),
      Route(.get, "/report/photo/preview", takesTurn: false, needs: needs, photo.preview),
      Route(
        .get, "/report/photo/status", takesTurn: false, needs: needs,
        PhotoStatusFeed(site: site).streamStatus),
      Route(.options, "/report/photo/uploads", uploads.options),
      Route(.post, "/report/photo/uploads", needs: needs, uploads.create),
      Route(.options, "/report/photo/uploads/{token}", uploads.options),
      Route(.head, "/report/photo/uploads/{token}", uploads.sendOffset),
      Route(.patch, "/report/photo/uploads/{token}", needs: needs, uploads.append),
      Route(.delete, "/report/photo/uploads/{token}", uploads.remove),
      Route(.get, "/report/description", description.showPage),
      Route(.post, "/report/description", description.receive),
      Route(.post, "/report/description/typed", description.saveTyped),
      Route(.get, "/report/contact", contact.showPage),
      Route(.post, "/report/contact", contact.receive),
      Route(.post, "/report/contact/typed", contact.saveTyped),
      Route(.get, ReviewPage.path, needs: needs, ReviewPage(site: site).showPage),
      Route(.post, ReviewPage.path, needs: needs, ReviewPage(site: site).publish),
      Route(.get, "/report/summary", summary.showPage),
      Route(.post, "/report/summary", summary.close),
      Route(.get, PrivacyPage.path, PrivacyPage(site: site).showPage),
      Route(.post, "/language", LanguagePage(site: site).choose),
      Route(.get, "/assets/{name}", takesTurn: false, needs: [], Assets.sendAsset),
    ] + SiteFiles(site: site).routes
  }
}
