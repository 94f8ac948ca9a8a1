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
      Route.page(.get, "/", LandingPage(site: site).showPage),
      Route.page(.get, "/announcements", AnnouncementsPage(site: site).showPage),
      Route.page(.get, "/announcements.atom", AnnouncementFeed(site: site).showAtom),
      Route.page(.get, "/announcements.json", AnnouncementFeed(site: site).showJSON),
      Route.page(.get, "/announcements/{id}", one.showPage),
      Route.page(.get, "/a/{code}", one.follow),
      Route.page(.get, "/announcements/{id}/poster", PosterPage(site: site).showPage),
      Route.page(.get, "/announcements/{id}/owner", owner.showPage),
      Route.page(.post, "/announcements/{id}/owner", owner.receive),
      Route.page(.get, "/announcements/{id}/owner/lost-code", LostCodePage(site: site).showPage),
      Route.page(.post, "/announcements/{id}/owner/lost-code", LostCodePage(site: site).receive),
      Route.page(.post, "/announcements/{id}/owner/photo", needs: needs, owner.replacePhoto),
      Route.page(.post, "/announcements/{id}/owner/close", owner.close),
      Route.page(.post, "/announcements/{id}/owner/reopen", owner.reopen),
      Route.page(.post, "/announcements/{id}/owner/erase", owner.erase),
      Route.page(.get, "/report", report.showCurrentStep),
      Route.page(.post, "/report", report.beginAnew),
      Route.page(.get, "/report/chip", chip.showPage),
      Route.page(.post, "/report/chip", chip.receive),
      Route(.post, "/report/chip/typed", chip.saveTyped),
      Route.page(.get, "/report/photo", needs: needs, photo.showPage),
      Route.page(.post, "/report/photo", needs: needs, photo.receive),
      Route.page(.post, "/report/photo/remove", photo.remove),
      Route.page(.get, "/report/photo/preview", takesTurn: false, needs: needs, photo.preview),
      Route(
        .get, "/report/photo/status", takesTurn: false, needs: needs,
        PhotoStatusFeed(site: site).streamStatus),
      Route(.options, "/report/photo/uploads", uploads.options),
      Route(.post, "/report/photo/uploads", needs: needs, uploads.create),
      Route(.options, "/report/photo/uploads/{token}", uploads.options),
      Route(.head, "/report/photo/uploads/{token}", uploads.sendOffset),
      Route(.patch, "/report/photo/uploads/{token}", needs: needs, uploads.append),
      Route(.delete, "/report/photo/uploads/{token}", uploads.remove),
      Route.page(.get, "/report/description", description.showPage),
      Route.page(.post, "/report/description", description.receive),
      Route(.post, "/report/description/typed", description.saveTyped),
      Route.page(.get, "/report/contact", contact.showPage),
      Route.page(.post, "/report/contact", contact.receive),
      Route(.post, "/report/contact/typed", contact.saveTyped),
      Route.page(.get, ReviewPage.path, needs: needs, ReviewPage(site: site).showPage),
      Route.page(.post, ReviewPage.path, needs: needs, ReviewPage(site: site).publish),
      Route.page(.get, "/report/summary", summary.showPage),
      Route.page(.post, "/report/summary", summary.close),
      Route.page(.get, PrivacyPage.path, PrivacyPage(site: site).showPage),
      Route.page(.post, "/language", LanguagePage(site: site).choose),
      Route(.get, "/assets/{name}", takesTurn: false, needs: [], Assets.sendAsset),
    ] + SiteFiles(site: site).routes
  }
}
