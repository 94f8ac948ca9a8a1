import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow

extension Text {
  /// What a limit bounds; a number follows, which then takes no plural form.
  private static func polishNoun(_ what: String) -> String {
    switch what {
    case "pixels": "liczba pikseli"
    case "side": "piksele na dłuższym boku"
    case "file-bytes": "rozmiar pliku"
    case "memory": "pamięć do zdekodowania"
    case "application-bytes", "ancillary-bytes": "metadane"
    case "chunk-bytes": "dane w jednym bloku"
    case "box-depth": "poziomy zagnieżdżenia"
    case "scans": "liczba skanów"
    case "tiles": "liczba kafelków"
    case "items": "liczba elementów"
    case "boxes", "chunks": "liczba bloków"
    default: what
    }
  }

  /// What the system says of an errno; the C library here speaks English alone.
  private static func polishReason(_ errno: Int32) -> String {
    switch errno {
    case EACCES, EPERM: "brak uprawnień"
    case ENOENT: "nie ma takiego pliku ani folderu"
    case ENOTDIR: "część ścieżki nie jest folderem"
    case EISDIR: "to jest folder"
    case EEXIST: "plik już istnieje"
    case ELOOP: "zbyt wiele dowiązań symbolicznych"
    case ENAMETOOLONG: "nazwa jest za długa"
    case EIO: "błąd wejścia/wyjścia"
    case EROFS: "system plików tylko do odczytu"
    case ENOSPC: "brak miejsca na dysku"
    case EDQUOT: "limit miejsca na dysku jest wyczerpany"
    case EFBIG: "plik jest za duży"
    case EMFILE, ENFILE: "zbyt wiele otwartych plików"
    case ENOMEM, ENOBUFS: "brak pamięci"
    case EAGAIN: "zasób jest chwilowo niedostępny"
    case EBUSY: "zasób jest zajęty"
    case EINVAL: "nieprawidłowy argument"
    default: String(cString: strerror(errno))
    }
  }

  var polish: String {
    switch self {
    case .groupCache: "Folder danych"
    case .groupMachines: "Wiele komputerów"
    case .groupPhotos: "Zdjęcia"
    case .groupReport: "Zgłoszenie"
    case .groupAttachment: "Dodane zdjęcie"
    case .petspotHelp:
      """
      Przyjmuje JPG, PNG, HEIC, GIF i WEBP. Każde polecenie ma opcję --json dla programów. Aby \
      Tab uzupełniał polecenia, opcje i wartości, uruchom: source <(petspot \
      --generate-completion-script bash) (lub zsh, fish). To samo jest w podręczniku: man \
      petspot (tworzy go Scripts/make-manual).
      """
    case .petspotAbstract:
      """
      Usuń metadane ze zdjęcia zwierzęcia, zapisz je tak, by pokazała je każda przeglądarka, i \
      zgłoś zaginięcie.
      """
    case .optionTwice(let argument):
      "Opcję \(argument) podano dwa razy, a przyjmuje tylko jedną wartość. Podaj ją raz."
    case .notAShard: "Część zapisz jako 2/4: numer części i liczba wszystkich (najwyżej 256)."
    case .optionShard: "Wykonaj tylko część I z N, gdy N komputerów dzieli się pracą."
    case .serveSizeSpace:
      """
      Miejsce na pomniejszone kopie zdjęć, które można utworzyć ponownie (domyślnie: 5 GB); \
      najpierw usuwane są najdawniej używane.
      """
    case .optionJobs: "Ile zdjęć naraz (domyślnie: tyle, ile rdzeni)."
    case .folderPathNotUTF8: "Ścieżka folderu musi być w UTF-8."
    case .emptyPath: "Ścieżka nie może być pusta."
    case .fileAddress(let address, let path):
      "\(address) to adres. Podaj zamiast niego ścieżkę: \(path)"
    case .webAddress(let address):
      "\(address) to adres, a PetSpot przyjmuje ścieżki. Najpierw pobierz plik, a potem podaj jego ścieżkę."
    case .optionDraft: "Zgłoszenie, do którego należy zdjęcie."
    case .notADatabaseAddress:
      """
      Adres bazy zaczyna się od postgresql://, na przykład \
      postgresql://petspot@db.example.org:5432/petspot.
      """
    case .optionVerbose: "Wypisuj szczegóły, a dziennik na standardowe wyjście błędów."
    case .optionQuiet: "Nie wypisuj niczego oprócz błędów."
    case .optionJson: "Wypisuj tylko JSON, dla programów."
    case .optionBlobs:
      """
      Przechowuj obrazy w tym magazynie zgodnym z S3 zamiast w folderze, np. \
      s3://BUCKET/PREFIX?endpoint=URL&region=NAME (lub ustaw PETSPOT_BLOBS); klucze są w \
      AWS_ACCESS_KEY_ID i AWS_SECRET_ACCESS_KEY.
      """
    case .optionDatabase:
      """
      Przechowuj dane w tej bazie PostgreSQL zamiast w folderze (lub ustaw PETSPOT_DATABASE, co \
      ukrywa hasło przed innymi użytkownikami).
      """
    case .optionCache:
      "Przechowuj zdjęcia w tym folderze zamiast w domyślnym (lub ustaw PETSPOT_CACHE)."
    case .announcementID: "Identyfikator ogłoszenia; na tym komputerze wystarczy jego początek."
    case .bucketImportedAlone:
      "Adres s3:// importuje się osobno; pozostałe zaimportuj osobnym poleceniem."
    case .interrupted: "Przerwano."
    case .codeMissing: "Podaj kod opcją --password-file PLIK (- oznacza standardowe wejście)."
    case .closePasswordFile: "Plik, którego pierwszy wiersz to kod, albo - (standardowe wejście)."
    case .closePassword:
      """
      Kod wypisany przez report submit; inni użytkownicy komputera mogą go zobaczyć na liście \
      procesów. Jeśli go nie podasz, zapytamy o niego w terminalu.
      """
    case .notAPhotoID(let argument, let shortest):
      """
      Żadne zdjęcie nie ma identyfikatora zaczynającego się od „\(argument)” (podaj co najmniej \
      \(shortest) znaki)
      """
    case .notASize(let text):
      """
      Rozmiar to liczba bajtów, co najmniej 1, na przykład 20000000, 20MB lub 20MiB, a nie \
      \(text).
      """
    case .notALanguage: "Język to en lub pl."
    case .optionLanguage: "Język tekstów: en lub pl (domyślnie: język systemu)."
    case .notAServerAddress:
      """
      Adres serwera zaczyna się od http:// lub https:// i nazwy hosta, bez hasła, na przykład \
      https://pets.example.org.
      """
    case .optionServer:
      "Używaj ogłoszeń z tego serwera zamiast z tego komputera (lub ustaw PETSPOT_SERVER)."
    case .sizesNotMade(let id):
      "Nie utworzono pomniejszonych kopii zdjęcia \(id); powstaną, gdy będą potrzebne."
    case .seeHelp(let help): " Zobacz: \(help)"
    case .optionNeeds(let one, let other): "\(one) wymaga \(other)."
    case .optionsTogether(let one, let other): "Opcje \(one) i \(other) podaje się razem."
    case .optionsExclusive(let one, let other): "\(one) i \(other) wykluczają się."
    case .optionBelowOne(let option): "\(option) musi wynosić co najmniej 1."
    case .onStoreOnly(let option):
      """
      \(option) działa bezpośrednio na magazynie: pomiń --server i usuń PETSPOT_SERVER ze \
      środowiska.
      """
    case .eraseOperator: "Usuń ogłoszenie jako operator tego magazynu, bez kodu właściciela."
    case .eraseHelp:
      """
      Dotyczy ogłoszeń otwartych, zamkniętych i ukrytych. Zostaje tylko oryginalne zdjęcie, \
      gdziekolwiek jest, i kopia w bibliotece, jeśli zdjęcie zaimportowano. Z --operator kod nie \
      jest potrzebny, wystarczy dostęp do magazynu; trafia to do dziennika.
      """
    case .eraseAbstract: "Usuń ogłoszenie razem z danymi kontaktowymi i zdjęciem."
    case .closeHelp:
      """
      Ponowne zamknięcie ogłoszenia niczemu nie szkodzi. Po kilku błędnych kodach przed następną \
      próbą trzeba poczekać. Dane kontaktowe pozostają zapisane razem z ogłoszeniem; usuwa je \
      petspot announcements erase.
      """
    case .closeAbstract: "Zamknij ogłoszenie: znika na zawsze ze wszystkich list."
    case .rangeNotPositive: "--range musi być większe od 0 km."
    case .nearestNeedsNear: "--range i --sort nearest wymagają --near SZER,DŁ."
    case .announcementsListHidden:
      "Dla operatora: tylko ukryte ogłoszenia, z powodami, od ostatnio zmienionych."
    case .announcementsListSort: "Kolejność; nearest wymaga --near."
    case .announcementsListRange: "Tylko ogłoszenia nie dalej niż tyle kilometrów; wymaga --near."
    case .announcementsListNear: "Twoja lokalizacja, do obliczania odległości."
    case .notAPosition:
      """
      Podaj szerokość od -90 do 90 i długość od -180 do 180, na przykład 52.2297,21.0122.
      """
    case .announcementsListLimit: "Pokaż najwyżej tyle."
    case .announcementsListAbstract: "Pokaż ogłoszenia od najnowszych."
    case .announcementsCommandHelp:
      """
      Bez podpolecenia wypisuje ogłoszenia i przyjmuje --limit N, --near SZER,DŁ, --range KM, \
      --sort newest|oldest|nearest, --server URL i --cache DIR; zob. petspot announcements list \
      --help.
      """
    case .announcementsCommandAbstract:
      "Ogłoszenia o zaginionych zwierzętach: lista, podgląd, zamykanie, usuwanie i ukrywanie."
    case .unhideHelp:
      """
      Jeśli właściciel w międzyczasie je zamknął, pozostaje zamknięte. Jeśli inne otwarte \
      ogłoszenie ma ten sam numer mikroczipu, pozostaje ukryte. Przywrócenie ogłoszenia, które \
      nie jest ukryte, niczego nie zmienia. Operacja trafia do dziennika.
      """
    case .unhideAbstract: "Przywróć ukryte ogłoszenie."
    case .reasonLength: "--reason musi mieć od 1 do 500 znaków."
    case .hideReason: "Dlaczego, do 500 znaków; tylko dla operatorów."
    case .hideHelp:
      """
      Dla operatora magazynu; nie wymaga kodu. Ogłoszenie znika ze wszystkich list, jego zdjęcie \
      przestaje być udostępniane, odwiedzający widzą, że ogłoszenie ukryto, a inne ogłoszenie \
      może mieć ten sam numer mikroczipu. Właściciel nadal może je zamknąć lub usunąć, ale nie \
      zmienić. Powód jest tylko dla operatorów; wypisuje go petspot announcements show. Ponowne \
      ukrycie zastępuje powód. Operacja trafia do dziennika.
      """
    case .hideAbstract: "Ukryj ogłoszenie jako operator."
    case .announcementsShowNear: "Twoja lokalizacja, do obliczenia odległości."
    case .announcementsShowHelp:
      """
      Rysuje zdjęcie, jeśli terminal na to pozwala. Adres e-mail osoby zgłaszającej i numer \
      mikroczipu nigdy nie są pokazywane.
      """
    case .announcementsShowAbstract: "Pokaż jedno ogłoszenie w całości, ze zdjęciem."
    case .attachNothing:
      "Podaj plik ze zdjęciem albo zdjęcie z biblioteki (--asset ID), nie oba naraz."
    case .attachName: "Nazwa zdjęcia ze standardowego wejścia (domyślnie: animal-photo)."
    case .attachAsset: "Zdjęcie z biblioteki; zob. petspot import."
    case .attachFile: "Zdjęcie albo - (standardowe wejście)."
    case .attachHelp:
      """
      W razie potrzeby obraca zdjęcie, konwertuje je do sRGB, usuwa wszystkie metadane i \
      zapisuje wynik. Zdjęcie dodane wcześniej zostaje, dopóki nowe nie jest gotowe. Oryginał \
      nigdy nie jest zmieniany.
      """
    case .attachAbstract: "Dodaj zdjęcie do zgłoszenia."
    case .continueFine: "Zdjęcie jest w porządku. Dalej: opis zwierzęcia."
    case .continueMissing: "Dodaj je poleceniem: petspot attach PLIK"
    case .continueHelp:
      """
      Kończy się kodem 0, gdy zdjęcie jest dodane i jego plik jest nienaruszony, w przeciwnym \
      razie kodem 65.
      """
    case .continueAbstract: "Przejdź dalej z kroku ze zdjęciem; zdjęcie musi być w porządku."
    case .doctorNoSeccomp: ", bez seccomp"
    case .doctorNoLandlock: "bez Landlock"
    case .doctorNoLoaders: "brak"
    case .doctorNoProblems: "Nie znaleziono problemów."
    case .doctorHelp:
      """
      Kończy się kodem 69, gdy czegoś brakuje, i podaje, jak to zainstalować; z --database i \
      --blobs także wtedy, gdy nie można użyć bazy lub magazynu. Magazyn sprawdza małym \
      obiektem, który potem usuwa.
      """
    case .doctorAbstract: "Sprawdź, czy ten komputer ma to, czego potrzebuje PetSpot."
    case .exportNoSuchSize(let size):
      "--size przyjmuje 320, 640, 960, 1280 lub 1920, a nie \(size)."
    case .exportSize: "Eksportuj jako JPEG nie większy niż ten rozmiar."
    case .exportDirectory: "Folder; powstanie, jeśli go nie ma."
    case .exportIds: "Identyfikatory zdjęć; zob. petspot list."
    case .exportHelp:
      """
      Kopiuje zapisane zdjęcie po sprawdzeniu jego skrótu. Żaden plik nie jest nadpisywany: \
      zajęta nazwa dostaje numer. Z --size kopia jest plikiem JPEG, którego dłuższy bok ma \
      najwyżej tyle pikseli: 320, 640, 960, 1280 lub 1920.
      """
    case .exportAbstract: "Skopiuj zapisane zdjęcia do folderu."
    case .forgotten: "Usunięto z biblioteki: "
    case .forgetKept(let name): "\n  zgłoszenie \(name) zachowuje swoje zdjęcie"
    case .forgetIds: "Identyfikatory zdjęć z biblioteki; zob. petspot list."
    case .forgetHelp:
      """
      Oryginał nie jest zmieniany. Kolejny import go pominie, podobnie jak przeniesienie z kopii \
      biblioteki; ponownie doda go petspot import --again. Zgłoszenie, do którego zdjęcie było \
      dodane, zachowuje swój obraz, ale nie wskazuje już na bibliotekę.
      """
    case .forgetAbstract: "Usuń zdjęcia z biblioteki."
    case .noWorker(let id):
      """
      Żaden proces nie pracuje nad importem \(id). Uruchom procesy tam, gdzie są jego foldery, z \
      tymi samymi --database i --blobs: petspot worker
      """
    case .workersGoOn(let run):
      "Procesy kontynuują import \(run); jego stan pokaże: petspot runs \(run)"
    case .nothingDone: "Nic nie zostało zrobione."
    case .moveSourceInside:
      """
      --move-source przyjmuje folder poza tym, co jest importowane, i poza folderami danych \
      PetSpot.
      """
    case .originalsNeedYes:
      """
      Poza terminalem --delete-source i --move-source wymagają --yes. Niczego nie odczytano; \
      --dry-run pokazuje, co zostałoby zrobione.
      """
    case .originalsOnlyInCache(let folder):
      """
      Zdjęcia trafiłyby do \(folder), czyli do folderu pamięci podręcznej, z którego programy \
      czyszczące usuwają pliki: bez oryginałów nic by nie zostało. Wybierz inny folder opcją \
      --cache DIR lub zmienną PETSPOT_CACHE.
      """
    case .reportKind: "--report przyjmuje nazwę z rozszerzeniem .html, .json lub .csv."
    case .importDistribute:
      "Zapisz import w bazie danych i zostaw go innym procesom (zob. petspot worker)."
    case .importYes:
      "Nie pytaj przed usunięciem lub przeniesieniem oryginałów; poza terminalem wymagane."
    case .importDeleteLossySource:
      """
      Z --delete-source lub --move-source: także oryginały, które zawierają więcej niż zapisane \
      zdjęcie, ale nie te, którym brakuje końca lub klatek.
      """
    case .importMoveSource: "Przenieś oryginały do tego folderu, zamiast je usuwać."
    case .importDeleteSource:
      "Usuń każdy oryginał, gdy zapisane zdjęcie zostanie odczytane i sprawdzone."
    case .importReport: "Zapisz raport; jego format zależy od rozszerzenia pliku."
    case .importSizes:
      """
      Utwórz wszystkie pomniejszone kopie zaimportowanych zdjęć od razu, a nie przy pierwszym \
      użyciu.
      """
    case .importAgain: "Zaimportuj ponownie pliki, których zdjęcia usunięto z biblioteki."
    case .importRetryRefused: "Sprawdź ponownie niezmienione pliki, które wcześniej odrzucono."
    case .importMaxErrors: "Przerwij po tylu błędach."
    case .importFollowOutside: "Podążaj też za dowiązaniami, które wychodzą z podanych folderów."
    case .importFollowSymlinks: "Podążaj za dowiązaniami, które nie wychodzą z podanych folderów."
    case .importHidden: "Importuj też ukryte pliki i foldery."
    case .importExclude: "Pomiń pasujące pliki i foldery."
    case .importInclude:
      "Tylko pliki o pasującej nazwie; wzorzec z ukośnikiem dotyczy ścieżki w folderze."
    case .importDryRun:
      "Pokaż, co zostałoby zrobione, i niczego nie zapisuj; niczego nie dekoduje, więc trwa krótko."
    case .importPaths: "Foldery i zdjęcia albo s3://BUCKET/PREFIX?endpoint=URL&region=NAME."
    case .importHelp:
      """
      Przeszukuje foldery i importuje każde znalezione zdjęcie. Plik zaimportowany wcześniej i \
      niezmieniony nie jest czytany ponownie, a jeden wadliwy plik nigdy nie wstrzymuje \
      pozostałych. Ctrl-C kończy bieżące pliki; uruchom polecenie ponownie, aby kontynuować.

      Oryginały pozostają nietknięte, chyba że użyjesz --delete-source lub --move-source. Obie \
      opcje zostawiają każdy oryginał, który zawiera więcej niż zapisane zdjęcie (film, mapę \
      głębi, drugi obraz, animację, ponad 8 bitów, kolory spoza sRGB, CMYK) albo którego piksele \
      zapisano z innego pliku, i podają powód; --delete-lossy-source obejmuje także te. \
      Oryginał, któremu brakuje końca lub klatek animacji, zostaje zawsze: może być częścią \
      dłuższego pliku. Poza terminalem obie wymagają --yes, a także folderu danych (--cache) poza \
      folderem pamięci podręcznej, który opróżniają programy czyszczące. Obraz \
      zakodowany ponownie, bo trzeba go było obrócić lub był w HEIC, uznaje się za pełny, a \
      usuniętych metadanych nie uznaje się za stratę. Przeniesione oryginały leżą w DIR tak, jak \
      leżały w folderze. Nic z folderu danych PetSpot nie jest importowane ani usuwane. Import \
      zabity w trakcie usuwania może zostawić oryginał jako .petspot-delete-…-NAZWA; następny z \
      --delete-source przywraca mu nazwę. Z obiektów w magazynie usuwana jest tylko odczytana \
      wersja.
      """
    case .importAbstract:
      "Importuj foldery zdjęć do biblioteki, z której dodaje się zdjęcia do zgłoszeń."
    case .inspectFiles: "Zdjęcia do sprawdzenia."
    case .inspectHelp: "Czyta każdy plik w całości i niczego nie zapisuje."
    case .inspectAbstract:
      "Pokaż rodzaj i cechy zdjęć oraz to, co zrobiłoby z nimi polecenie attach."
    case .noPhotos: "Brak zdjęć."
    case .listHelp:
      """
      Pokazuje początek każdego identyfikatora; przyjmuje go każde polecenie, a --verbose \
      pokazuje całe identyfikatory i nazwy.
      """
    case .listAbstract: "Wypisz zapisane zdjęcia od najnowszych."
    case .moveSameRecords:
      "Dane zostałyby na miejscu. Podaj inne miejsce opcją --to-database lub --to-cache."
    case .moveSamePictures:
      """
      Obrazy zostałyby na miejscu, a dwa rejestry usuwałyby je sobie nawzajem. Podaj inne \
      miejsce opcją --to-blobs lub --to-cache.
      """
    case .moveToCache: "Folder na to, co nie trafia do bazy ani do magazynu."
    case .moveToBlobs: "Magazyn zgodny z S3, do którego trafią obrazy."
    case .moveToDatabase: "Baza PostgreSQL, do której trafią dane; hasło wpisz do ~/.pgpass."
    case .moveHelp:
      """
      Kopiuje zdjęcia, bibliotekę, zgłoszenia w toku i ogłoszenia z magazynów podanych przez \
      --cache, --database i --blobs do tych, które podają --to-database, --to-blobs i \
      --to-cache. Źródło pozostaje bez zmian, a to, co już jest w miejscu docelowym, się nie \
      zmienia. Skrót każdego obrazu jest sprawdzany przy odczycie i przy zapisie. Po przerwaniu \
      lub gdy coś doszło, uruchom polecenie ponownie: to, co już jest, nie jest kopiowane drugi \
      raz.

      Kończy się kodem 65, gdy czegoś nie udało się przenieść: brakuje obrazu lub jest on \
      uszkodzony (napraw poleceniem petspot verify --repair i przenieś ponownie) albo wpis ma w \
      miejscu docelowym inny stan. Niech nikt w tym czasie nie pracuje nad zgłoszeniami. Importy \
      dzielone między procesy zostają na miejscu, a informacje o zaimportowanych plikach są \
      przenoszone tylko dla plików z tego komputera i dla obiektów z magazynu.

      Co usunięto w jednym z magazynów, nie wraca: nie jest przenoszone i znika z miejsca \
      docelowego, jeśli tam jeszcze jest.
      """
    case .moveAbstract:
      "Przenieś wszystko do innych magazynów: z folderu danych do bazy lub z powrotem."
    case .removeHelp: "Usuwa kopię PetSpot; oryginalny plik nigdy nie jest zmieniany."
    case .removeAbstract: "Usuń dodane zdjęcie (można powtarzać)."
    case .reportClearForce: "Wyczyść zgłoszenie, nawet jeśli nie da się go odczytać."
    case .reportClearHelp:
      """
      Opublikowane ogłoszenie pozostaje, zob. petspot announcements close i erase; jeśli jego \
      kodu nigdy nie pokazano, pokazujemy go teraz. To, czego jeszcze nie opublikowano, zostaje \
      wycofane.
      """
    case .reportClearAbstract: "Wyczyść zgłoszenie i usuń jego zdjęcie."
    case .reportStatusAbstract: "Pokaż całe zgłoszenie."
    case .reportChipNumber: "Najwyżej 15 cyfr; pominięte znaki zostaną wypisane."
    case .reportChipAbstract: "Krok 1: numer mikroczipu (opcjonalny)."
    case .reportHelp:
      """
      Bez podpolecenia to rozmowa w czterech krokach: mikroczip, zdjęcie, opis, kontakt. \
      Przerwij, kiedy chcesz, i wróć do niej później. Podpolecenia robią to samo w skryptach; \
      każde z pierwszych czterech działa jak przycisk „Dalej” w swoim kroku.

      Rozmowa ma opcje --draft ID, --lang en|pl, --position SZER,DŁ, --server URL i --cache DIR; \
      zob. petspot report talk --help.
      """
    case .reportAbstract: "Zgłoś zaginięcie zwierzęcia."
    case .reportSubmitHelp:
      """
      Wypisuje kod, który zamyka lub usuwa ogłoszenie; pokazujemy go tylko raz. Ponowna \
      publikacja tego samego zgłoszenia wypisuje to samo ogłoszenie i wznawia przerwaną próbę.
      """
    case .reportSubmitAbstract: "Opublikuj zgłoszenie jako ogłoszenie."
    case .reportContactHelp:
      "Pola, których nie podasz, zostają bez zmian; pusta wartość czyści pole."
    case .reportContactAbstract: "Krok 4: jak się z Tobą skontaktować."
    case .conversationNoJSON:
      "Rozmowa nie wypisuje JSON-a; użyj petspot report chip, photo, describe, contact, submit."
    case .conversationPosition: "Twoja lokalizacja, proponowana jako miejsce w kroku 3."
    case .conversationAbstract: "Przejdź przez cztery kroki w rozmowie (domyślnie)."
    case .reportDescribeLongAgo: "Przyjmij datę sprzed ponad 20 lat bez pytania."
    case .reportDescribeHelp:
      """
      Pola, których nie podasz, zostają bez zmian; pusta wartość czyści pole. Wszystkie błędy \
      podajemy naraz.
      """
    case .reportDescribeAbstract: "Krok 3: opis zwierzęcia."
    case .reportPhotoFile: "Plik"
    case .reportPhotoMissing: "Dodaj je poleceniem: petspot report photo PLIK"
    case .reportPhotoHelp: "Jeśli nie podasz zdjęcia, to już dodane musi być w porządku."
    case .reportPhotoAbstract: "Krok 2: zdjęcie (obowiązkowe)."
    case .noRuns: "Brak importów."
    case .noSuchRun(let id): "Nie ma importu \(id). Listę pokaże: petspot runs"
    case .runsId: "Numer importu."
    case .runsHelp:
      """
      Pokazuje postęp każdego importu, liczby plików, pozostały czas i to, kto nad nim pracuje; \
      z ID – tylko ten import i jego procesy. Liczby są przechowywane 90 dni.
      """
    case .runsAbstract: "Wypisz importy dzielone między procesy, od najnowszych."
    case .notANetwork(let network):
      "--trust-proxy przyjmuje sieć, na przykład 10.0.0.0/8, a nie \(network)."
    case .notABaseURL:
      """
      --base-url zaczyna się od http:// lub https:// i nazwy hosta, na przykład \
      https://pets.example.org.
      """
    case .notAPort: "Port to liczba od 0 do 65535."
    case .notAContact:
      "--operator-contact przyjmuje adres e-mail lub adres zaczynający się od https://."
    case .serveOperatorContact: "Gdzie zgłaszać skargi: adres e-mail lub adres strony."
    case .serveOperatorName: "Kto prowadzi serwer; widoczne na dole każdej strony."
    case .serveMetricsPort: "Udostępniaj na tym porcie metryki dla Prometheusa."
    case .serveNoClientLimits: "Nie ograniczaj pojedynczych klientów."
    case .serveTrustProxy:
      "Przyjmuj adres klienta od serwerów proxy z tej sieci; opcję można podać wiele razy."
    case .servePhotoSpace:
      """
      Miejsce na opublikowane zdjęcia (domyślnie: 50 GB); jeden klient może dodać w ciągu 30 dni \
      jego dwudziestą część. Łącznej granicy dla wszystkich klientów nie ma.
      """
    case .serveKeepFree:
      """
      Zachowaj tyle wolnego miejsca na dysku (domyślnie: mniejsza z wartości 1 GB i 2%); poniżej \
      tej granicy niczego nie można dodać.
      """
    case .serveDraftSpace:
      """
      Miejsce na nieopublikowane zgłoszenia odwiedzających (domyślnie: 10 GB); jeden klient może \
      zająć jego dwudziestą część. Gdy się skończy, usuwane są najstarsze; ogłoszenia nigdy.
      """
    case .serveUploadLimit: "Największe przyjmowane zdjęcie (domyślnie: 20 MiB)."
    case .serveTlsKey: "Klucz certyfikatu (plik PEM)."
    case .serveTlsCertificate: "Używaj TLS z tym certyfikatem (plik PEM)."
    case .serveBaseURL:
      "Początek adresów w odpowiedziach; żądania do innych hostów są odrzucane (421)."
    case .servePort: "Port; 0 oznacza dowolny wolny."
    case .serveHost: "Adres, pod którym serwer czeka na połączenia."
    case .serveHelp:
      """
      Używa tych samych danych co inne polecenia, w tym samym czasie. Ctrl-C zatrzymuje serwer \
      po dokończeniu bieżących żądań.
      """
    case .serveAbstract: "Udostępniaj zgłoszenia, zdjęcia i ogłoszenia przeglądarkom i aplikacjom."
    case .showPhoto:
      """
      Identyfikator zdjęcia lub jego początek albo plik (z ./ na początku, gdy wygląda jak \
      identyfikator).
      """
    case .showHelp:
      """
      Rysuje dwa piksele na znak, w kolorach 24-bitowych, gdy COLORTERM na to pozwala, w \
      przeciwnym razie w 256 kolorach. Bez terminala lub z NO_COLOR zdjęcie jest zamiast tego \
      opisane.
      """
    case .showAbstract: "Narysuj podgląd zdjęcia w terminalu."
    case .similarNone: "Żadne zdjęcie nie jest podobne."
    case .similarBits: "%2d z 64   "
    case .similarHeader: "RÓŻNICA   "
    case .similarDistance: "--distance to liczba od 0 do 64."
    case .similarDistanceRange: "Ile z 64 bitów może się różnić."
    case .similarReference: "Identyfikator zdjęcia z biblioteki; zob. petspot list."
    case .similarHelp:
      """
      Porównuje wygląd; najbardziej podobne zdjęcia są pierwsze. Każde zdjęcie ma 64-bitowy \
      odcisk; RÓŻNICA to liczba różnych bitów: 0 oznacza taki sam wygląd, do 10 bardzo podobny, \
      a około 32 brak podobieństwa. To tylko podpowiedź: zdjęcia nie są łączone według wyglądu.
      """
    case .similarAbstract: "Wypisz zdjęcia z biblioteki podobne do wskazanego."
    case .statusHelp:
      """
      Jeśli pliku zdjęcia nie ma lub jest uszkodzony, uznajemy, że zdjęcia nie dodano, a status \
      podaje, co się stało; zdjęcie wraca razem z plikiem.
      """
    case .statusAbstract: "Pokaż, jakie zdjęcie jest dodane."
    case .sweepSizeSpace:
      """
      Usuń najdawniej używane pomniejszone kopie zdjęć, aż pozostałe zmieszczą się w tym \
      miejscu; serwer robi to co pięć minut.
      """
    case .sweepDraftSpace: "Miejsce na nieopublikowane zgłoszenia odwiedzających, jak w serve."
    case .sweepDryRun: "Pokaż tylko, co zostałoby usunięte."
    case .sweepHelp:
      """
      Usuwa to, co zostało po przerwanej pracy, obrazy bez wpisu oraz zgłoszenia nieużywane od 7 \
      dni razem z ich zdjęciami. Nie usuwa niczego poza folderem danych albo magazynami podanymi \
      w --database i --blobs. Z --draft-space usuwane są też nieopublikowane zgłoszenia odwiedzających \
      serwer, od najstarszych, aż pozostałe zmieszczą się w podanym miejscu.

      Z --shard kilka komputerów dzieli się pracą nad jedną bazą i jednym magazynem obiektów: \
      jako 1/3, 2/3 i 3/3 każdy przegląda trzecią część obrazów, a pierwszy także zgłoszenia.
      """
    case .sweepAbstract: "Usuń resztki i porzucone zgłoszenia z folderu danych."
    case .verifyDryRun: "Niczego nie zmieniaj: uszkodzone pliki zostają na miejscu."
    case .verifyDecode: "Dekoduj też każde zdjęcie; trwa mniej więcej tyle co import."
    case .verifySources: "Z --repair: szukaj oryginałów także tutaj."
    case .verifyRepair: "Przywróć, co się da."
    case .verifyAttached: "Sprawdź tylko zdjęcia ze zgłoszeń, bez biblioteki."
    case .verifyAll: "Sprawdź wszystkie dane i ich rejestr (domyślnie)."
    case .verifyHelp:
      """
      Czyta każdy zapisany obraz i podgląd, porównuje go z nazwą i wpisem i sprawdza jego \
      strukturę; potem sprawdza każdy wpis rejestru i każdy plik bez wpisu. Z --attached \
      sprawdza tylko zdjęcia ze zgłoszeń, co jest szybsze. Uszkodzony plik trafia do quarantine/ \
      w folderze danych, a w magazynie obiektów jest oznaczany jako odłożony, więc nigdy nie \
      jest pokazywany; nic nie jest usuwane. Kończy się kodem 65, gdy coś jest nie tak albo \
      nadal jest po --repair, a kodem 74, gdy magazyn obiektów nie mógł udostępnić obrazu; taki \
      obraz jest wymieniany i liczony.

      --repair przywraca obrazy z oryginałów zapamiętanych przy imporcie, o ile się nie \
      zmieniły, i poprawia wpisy. Plik, który zawiera więcej niż swój obraz, jest tworzony na \
      nowo, z oryginału lub z samego siebie, a stary jest usuwany. --from szuka oryginałów także \
      w innych folderach, również dla zdjęć dodanych z pliku.

      Z --shard kilka komputerów dzieli się pracą: jako 1/3, 2/3 i 3/3 każdy sprawdza trzecią \
      część zdjęć i plików, a pierwszy także wpisy, które na nie wskazują. Gdy wszystkie skończą \
      naprawiać, sprawdź jeszcze raz całość.
      """
    case .verifyAbstract: "Sprawdź zapisane zdjęcia i napraw je."
    case .workerGivenBack: "Przetwarzanie bieżących plików trwało zbyt długo; wróciły do kolejki."
    case .workerOnce: "Zakończ, gdy nie ma już nic do zrobienia."
    case .workerHelp:
      """
      Bierze części importów, których foldery są stąd widoczne pod tą samą ścieżką, i importuje \
      je jak petspot import. Uruchom co najmniej jeden taki proces na każdym komputerze. Ctrl-C \
      lub SIGTERM kończy bieżące pliki w ciągu 20 s i zwraca resztę części do kolejki. Zabity \
      proces po pół minucie traci swoją część na rzecz innego; nic nie jest liczone dwa razy.
      """
    case .workerAbstract: "Pracuj nad importami rozpoczętymi z --distribute."
    case .diskNearlyFull(let freeBytes, let enoughBytes):
      "Wolne jest tylko \(freeBytes), a potrzeba co najmniej \(enoughBytes); zwolnij miejsce."
    case .folderNotWritable(let path):
      """
      Zadbaj, by \(path) był folderem, w którym możesz zapisywać, albo wybierz inny opcją \
      --cache DIR.
      """
    case .freeUnknown: "nie wiadomo"
    case .freeLabel: "wolne     "
    case .folderMissing: " (jeszcze go nie ma)"
    case .folderLabel: "folder    "
    case .storedFileDamaged(let name, let repair):
      """
      Zapisany plik zdjęcia \(name) jest uszkodzony. Przywróć go poleceniem: \(repair), albo \
      dodaj zdjęcie ponownie.
      """
    case .storedFileMissing(let name, let repair):
      """
      Zapisany plik zdjęcia \(name) zniknął. Zdjęcie wróci, gdy tylko plik będzie znowu na \
      miejscu; przywróć go poleceniem: \(repair), albo dodaj zdjęcie ponownie.
      """
    case .lastAttempt(let reason): "Ostatnia próba się nie udała: \(reason)."
    case .attemptNotStored: "nie udało się zapisać zdjęcia"
    case .attemptDiskFull: "dysk był pełny"
    case .attemptInterrupted: "została przerwana"
    case .attemptTimeout: "odczyt zdjęcia trwał za długo"
    case .attemptUnreadable: "nie udało się odczytać pliku"
    case .attemptTooLarge: "zdjęcie przekraczało limit"
    case .attemptCorrupt: "zdjęcie było uszkodzone"
    case .attemptEmpty: "plik był pusty"
    case .attemptUnsupported: "plik nie był zdjęciem JPG, PNG, HEIC, GIF ani WEBP"
    case .attachedForgotten: "To zdjęcie usunięto z biblioteki; tutaj pozostaje dodane."
    case .attachedLoading: "Zdjęcie jest dodawane."
    case .attachedNone: "Nie dodano zdjęcia."
    case .headerName: "NAZWA"
    case .saved: "zapisano"
    case .cardFrames(let frameCount): "klatek: \(frameCount)"
    case .headingUsage: "SKŁADNIA: "
    case .headingExamples: "PRZYKŁADY:"
    case .threadTimes: "Czas wszystkich wątków: "
    case .outcomeFailed: "błąd"
    case .outcomeWouldFail: "błąd"
    case .outcomeSkipped: "pominięto"
    case .outcomeWouldSkip: "do pominięcia"
    case .outcomeUnchanged: "bez zmian"
    case .outcomeDuplicate: "duplikat"
    case .outcomeImported: "zaimportowano"
    case .outcomeWouldImport: "do zaimportowania"
    case .originalWouldBeDeleted: "oryginał zostałby usunięty"
    case .originalWouldBeMoved: "oryginał zostałby przeniesiony"
    case .originalDeleted: "oryginał usunięto"
    case .originalKept(let words): "oryginał pozostawiono: \(words)"
    case .originalWouldStay(let words): "oryginał zostałby na miejscu: \(words)"
    case .originalMoved(let place): "oryginał przeniesiono do \(place)"
    case .samePictureAs(let other): "ten sam obraz co \(other)"
    case .sameFileAs(let other): "ten sam plik co \(other)"
    case .pageFrom: "Źródło:"
    case .pageEndedEarly: " Import zakończono przed czasem."
    case .pageOriginalKept: "oryginał pozostawiono"
    case .pageRest: "Pominięte, błędy, pozostawione oryginały"
    case .pageDuplicates: "Duplikaty"
    case .pageMore(let count): "i jeszcze: \(count)"
    case .pageStored: "zapisane"
    case .pageNew: "Nowe zdjęcia"
    case .pageWouldBeNew: "Byłyby nowe"
    case .pageTitle: "Import PetSpot"
    case .pageFilter: "Filtruj listy:"
    case .timeLeft(let amount): "jeszcze ok. \(amount)"
    case .fileCount(let files): "pliki: \(Amounts.number(files))"
    case .damageInvalid: "nieprawidłowe dane"
    case .damageChecksum: "suma kontrolna się nie zgadza"
    case .damageCut: "plik jest niepełny"
    case .kindSynology: "własne pliki dysku Synology"
    case .kindDesktopIni: "ustawienia folderu Windows"
    case .kindThumbsDb: "miniatury Windows"
    case .kindDSStore: "ustawienia folderu macOS"
    case .kindAppleDouble: "metadane macOS innego pliku"
    case .kindSymlink: "dowiązanie symboliczne"
    case .kindFolder: "folder"
    case .kindDevice: "urządzenie"
    case .kindSocket: "gniazdo"
    case .kindPipe: "potok nazwany"
    case .causeSidecar: "pliki należące do zdjęć (filmy Live Photo, edycje, metadane)"
    case .causeForgotten: "usunięte z biblioteki (zaimportuj je ponownie z opcją --again)"
    case .causeInsideCache: "w folderze danych PetSpot"
    case .causeChanging: "jeszcze zapisywane"
    case .causeOutside: "dowiązania poza podane foldery (uwzględnia je --follow-outside)"
    case .causeHidden: "ukryte (zaimportuj je z opcją --hidden)"
    case .causeLinkLoop: "dowiązania do niczego lub do folderu, który i tak jest importowany"
    case .causeSymlink: "dowiązania symboliczne (uwzględnia je --follow-symlinks)"
    case .causeTimeout: "czytanie trwało za długo"
    case .causeTooLarge: "za duże"
    case .causeUnreadable: "nie można odczytać"
    case .causeDamaged: "uszkodzone: "
    case .causeEmpty: "puste (0 B)"
    case .refusedSidecar(let file):
      "\(file) należy do zdjęcia w tym samym folderze; PetSpot przechowuje tylko zdjęcie."
    case .refusedForgotten(let file):
      "Zdjęcie z pliku \(file) usunięto z biblioteki. Zaimportuj je ponownie z opcją --again."
    case .refusedInsideCache(let file):
      """
      \(file) należy do folderu danych PetSpot, z którego nic się nie importuje. Skopiuj z niego \
      zdjęcia poleceniem: petspot export
      """
    case .refusedChanging(let file):
      "\(file) jest jeszcze zapisywany. Zaimportuj ponownie, gdy będzie gotowy."
    case .refusedOutside(let file):
      "\(file) prowadzi poza podane foldery. Aby go uwzględnić, dodaj --follow-outside."
    case .refusedSystemFile(let file, let noun): "\(file) nie jest zdjęciem: \(noun)."
    case .refusedHidden(let file): "\(file) to plik ukryty. Importuj ukryte pliki z opcją --hidden."
    case .refusedKind(let file, let noun): "\(file) to \(noun), nie zdjęcie."
    case .refusedSymlink(let file):
      "\(file) to dowiązanie symboliczne. Aby uwzględnić dowiązania, dodaj --follow-symlinks."
    case .refusedLinkLoop(let file): "\(file) prowadzi do folderu, który i tak jest importowany."
    case .refusedDeadLink(let file): "\(file) to dowiązanie do czegoś, czego nie ma."
    case .importInterrupted:
      "Przerwano. Postęp jest zapisany; uruchom polecenie ponownie, aby kontynuować."
    case .importStopping:
      "Trwa kończenie bieżących plików. Naciśnij Ctrl-C ponownie, aby przerwać od razu."
    case .causesListedIn(let place): "Lista wszystkich plików: \(place)"
    case .causesListing: "Aby wypisać wszystkie pliki, dodaj --verbose lub --report PLIK.html"
    case .causesFailed: "Błędy:"
    case .causesSkipped: "Pominięto:"
    case .inspectNoProfile: "bez profilu kolorów"
    case .inspectOrientation(let orientation, let bitDepth):
      ", orientacja \(orientation), bity: \(bitDepth), "
    case .inspectStored: "  w pliku "
    case .inspectLocation: "zawiera lokalizację"
    case .inspectTaken(let date): "wykonano \(date)"
    case .inspectPlan: "  kroki attach: "
    case .inspectOtherName: "niezgodne rozszerzenie"
    case .inspectTransparency: "z przezroczystością"
    case .inspectFrames(let frames): "klatek: \(frames)"
    case .notMoved(let fileName, let id, let problem):
      "nie przeniesiono  \(fileName) (\(id)): \(problem)"
    case .notMovedDamaged: "jego obraz lub wpis jest uszkodzony"
    case .notMovedMissing: "brakuje jego obrazu"
    case .moveOtherState:
      """
      Nie wszystko zostało przeniesione: niektóre wpisy mają w miejscu docelowym inny stan i tam \
      się nie zmieniają. Przenieś dane do pustych magazynów albo zostaw je tak, jak są.
      """
    case .moveAddedMeanwhile:
      """
      Nie wszystko zostało przeniesione: coś dodano w trakcie albo ogłoszenie ma numer \
      mikroczipu, który ma tam już inne ogłoszenie. Uruchom polecenie ponownie.
      """
    case .moveRepairSource:
      """
      Nie wszystko zostało przeniesione. Napraw źródło poleceniem petspot verify --repair i \
      uruchom polecenie ponownie.
      """
    case .moveAgain:
      "Nie wszystko zostało przeniesione. Uruchom polecenie ponownie, aby kontynuować."
    case .reasonCoding: "niektóre przeglądarki nie obsługują jego kodowania"
    case .reasonFormat: "przeglądarki nie obsługują jego formatu"
    case .reasonBitDepth: "ponad 8 bitów na kanał"
    case .reasonColor: "kolory inne niż sRGB"
    case .reasonOrientation: "trzeba je obrócić lub odbić"
    case .stepCoding: "zakodować ponownie dla przeglądarek"
    case .stepFormat(let name, let name2): "przekonwertować z \(name) na \(name2)"
    case .stepBitDepth: "zmniejszyć do 8 bitów na kanał"
    case .stepOrientation: "obrócić"
    case .stepRemove(let list): "usunąć: \(list)"
    case .stepRepair: "naprawić strukturę"
    case .stepKeep: "zachować obraz bit w bit"
    case .slowHEIC: ": przetwarzanie HEIC będzie powolne"
    case .libraryMissing: "nie znaleziono"
    case .commitUnknown: "nieznany commit"
    case .partBrokenOff(let place): "\(place): przerwano"
    case .partTakenOver(let place): "\(place): przejął inny proces"
    case .partGivenBack(let place, let files):
      "\(place): pliki: \(Amounts.number(files)), reszta wróciła do kolejki"
    case .partDone(let place, let files, let seconds):
      "\(place): pliki: \(Amounts.number(files)), czas: \(seconds)"
    case .partName(let run, let part): "import \(run), część \(part)"
    case .workerPart(let part, let name, let silent): "  część \(part): \(name)\(silent)"
    case .workerSilent: " (nie odpowiada)"
    case .runDone: "gotowe"
    case .runWorking: "w toku"
    case .runListing: "tworzenie listy"
    case .partsDone(let partsDone, let parts): "  gotowe części: \(partsDone)/\(parts)"
    case .runFailed: "błędy"
    case .runDuplicates: "duplikaty"
    case .runImported: "zaimportowano"
    case .runFailures(let failed): "błędy: \(failed)"
    case .runFiles(let files, let files2): "pliki: \(files)/\(files2)"
    case .askDelete:
      "Usunąć oryginały? (tak/nie; --dry-run pokazuje które, --yes pomija to pytanie): "
    case .originalsMoved(let place):
      """
      Każdy oryginał zostanie przeniesiony do \(place), gdy zapisane zdjęcie zostanie \
      sprawdzone. Oryginały, które zawierają więcej niż zapisane zdjęcie, zostają, chyba że \
      podano --delete-lossy-source.
      """
    case .originalsDeleted:
      """
      Każdy oryginał zostanie usunięty, gdy zapisane zdjęcie zostanie sprawdzone; zastąpi go \
      zapisane zdjęcie. 
      """
    case .originalsRest:
      """
      Nie ma ono metadanych (daty, miejsca, aparatu), a jeśli trzeba je było obrócić lub \
      przekonwertować, zostało zakodowane ponownie. Oryginały, które zawierają więcej niż \
      zapisane zdjęcie, zostają, chyba że podano --delete-lossy-source.
      """
    case .originalsVersions:
      """
      Usuwana jest tylko odczytana wersja; zasobnik (bucket) bez wersjonowania może to zapewnić \
      tylko wtedy, gdy przestrzega If-Match, więc nie zapisuj tam niczego w tym czasie.
      """
    case .verifyQuarantined: " (wcześniej przeniesiono do quarantine)"
    case .verifyReportName(let draft): "zgłoszenie \(draft)"
    case .verifyLeftOut:
      "Nie sprawdzono biblioteki ani plików bez wpisu; sprawdź wszystko poleceniem: petspot verify"
    case .errorStandardInput: "Standardowe wejście"
    case .errorThePhoto: "Zdjęcie"
    case .errorFormat(let file, let noun):
      """
      \(file) to \(noun). PetSpot przyjmuje JPG, PNG, HEIC, GIF i WEBP; zapisz zdjęcie w jednym \
      z tych formatów i spróbuj ponownie.
      """
    case .errorNoPicture(let file, let noun):
      "\(file) to \(noun). PetSpot przyjmuje zdjęcia: JPG, PNG, HEIC, GIF i WEBP."
    case .bytes(let number): "\(number) B"
    case .errorEmptyInput:
      "Standardowe wejście jest puste. Podaj zdjęcie: petspot attach - --name NAZWA < PLIK"
    case .errorEmpty(let file):
      """
      \(file): plik jest pusty (0 B). Skopiuj go ponownie z pierwotnego źródła albo wybierz inne \
      zdjęcie.
      """
    case .errorDecoderCrash(let file):
      """
      \(file): to zdjęcie powoduje awarię dekodera, więc je odrzucono; nic innego nie \
      ucierpiało. Zapisz je ponownie w programie do zdjęć albo wybierz inne.
      """
    case .errorDamaged(let file, let damage):
      """
      \(file): plik jest uszkodzony (\(damage)). Skopiuj go ponownie z pierwotnego źródła albo \
      wybierz inne zdjęcie.
      """
    case .errorPixels(let file, let amount, let limit):
      "\(file): zdjęcie jest za duże (\(amount), limit: \(limit)). Zmniejsz je i spróbuj ponownie."
    case .errorMemory(let file, let amount, let limit):
      """
      \(file): zdjęcie przekracza limit (\(amount), limit: \(limit)). Zapisz je ponownie w \
      programie do zdjęć albo wybierz inne.
      """
    case .errorTooLarge(let file, let amount, let limit):
      """
      \(file): zdjęcie przekracza limit (\(amount), limit: \(limit)). Zapisz je ponownie w \
      programie do zdjęć albo wybierz inne.
      """
    case .errorShortage(let reason, let remedy):
      """
      PetSpot nie mógł kontynuować: \(reason). \(remedy) i spróbuj ponownie; to, co już \
      zapisano, jest bezpieczne.
      """
    case .errorShortageFor(let file, let reason, let remedy):
      """
      \(file): nie udało się przetworzyć zdjęcia: \(reason). \(remedy) i spróbuj ponownie; to, \
      co już zapisano, jest bezpieczne.
      """
    case .errorTimeout(let file, let seconds):
      """
      \(file): odczyt zdjęcia trwał dłużej niż \(seconds) s. Zapisz je ponownie w programie do \
      zdjęć albo wybierz inne.
      """
    case .errorBlobDamaged(let file):
      """
      \(file): zdjęcie jest zapisane, ale jego plik jest uszkodzony. Dodaj je ponownie i \
      poszukaj innych uszkodzeń poleceniem: petspot verify
      """
    case .errorBlobNotAFile(let file):
      """
      \(file): zdjęcie jest zapisane, ale jego obraz zastąpiono czymś, co nie jest plikiem \
      (potokiem, folderem, dowiązaniem). Napraw to poleceniem: petspot verify --all --repair
      """
    case .errorInternal(let file, let what):
      """
      \(file): w programie PetSpot wystąpił błąd wewnętrzny (\(what)). Niczego nie zapisano; \
      zgłoś ten błąd, podając format zdjęcia i wykonywaną czynność.
      """
    case .errorNoPhoto: "Nie ma tu zdjęcia. Dodaj je poleceniem: petspot attach PLIK"
    case .errorNoSuchPhoto(let photo): "Nie ma zdjęcia \(photo). Listę zdjęć pokaże: petspot list"
    case .errorFileSizeLimit(let target, let remedy):
      """
      Osiągnięto limit rozmiaru pliku: nie udało się zapisać \(target). \(remedy) i spróbuj \
      ponownie; zapisane już zdjęcia są bezpieczne.
      """
    case .errorQuota(let target):
      """
      Twój limit miejsca na dysku jest wyczerpany: nie udało się zapisać \(target). Zwolnij \
      miejsce i spróbuj ponownie; zapisane już zdjęcia są bezpieczne.
      """
    case .errorDiskFull(let target):
      """
      Dysk jest pełny: nie udało się zapisać \(target). Zwolnij miejsce i spróbuj ponownie; \
      zapisane już zdjęcia są bezpieczne.
      """
    case .errorCacheUnusable(let target, let reason):
      """
      Nie można użyć folderu danych \(target): \(reason). Wybierz inny opcją --cache DIR lub \
      przez PETSPOT_CACHE.
      """
    case .errorStorage(let target, let operation, let reason, let remedy):
      """
      \(target): operacja \(operation) nie powiodła się: \(reason). \(remedy) i spróbuj \
      ponownie; zapisane już zdjęcia są bezpieczne.
      """
    case .errorOtherTables(let server):
      """
      Tabele w bazie utworzyła inna wersja programu PetSpot (\(server)). Użyj tamtej wersji \
      albo podaj inną bazę opcją --database URL; niczego nie zmieniono.
      """
    case .errorNoDatabaseAddress:
      """
      To nie jest adres bazy danych. Zapisz go jako postgresql://USER@HOST:PORT/NAME i spróbuj \
      ponownie.
      """
    case .errorOtherCache:
      """
      Folder danych zapisała inna wersja programu PetSpot. Użyj tamtej wersji albo wybierz \
      inny folder opcją --cache DIR; niczego nie zmieniono.
      """
    case .errorOtherBlobs(let place):
      """
      Obrazy tych wpisów są przechowywane w \(place), a nie pod podanym adresem. Podaj tamten \
      magazyn opcją --blobs URL albo inne wpisy opcją --database URL lub --cache DIR; niczego \
      nie zmieniono.
      """
    case .errorCatalogDamaged(let detail):
      """
      Rejestr w folderze danych jest uszkodzony (\(detail)). Niczego nie zmieniono; przywróć go \
      z kopii zapasowej albo wybierz inny folder opcją --cache DIR.
      """
    case .errorRecordAltered(let detail):
      """
      Wpis zdjęcia zmieniono poza programem PetSpot (\(detail)). Niczego nie zmieniono; napraw \
      go poleceniem: petspot verify --all --repair
      """
    case .errorDatabase(let detail):
      """
      Nie można użyć bazy danych (\(detail)). Zwróć się do jej administratora i spróbuj \
      ponownie; zapisane już zdjęcia są bezpieczne.
      """
    case .errorCatalog(let detail):
      """
      Nie można użyć rejestru w folderze danych (\(detail)). Sprawdź dysk i spróbuj ponownie; \
      zapisane już zdjęcia są bezpieczne.
      """
    case .errorServiceBusy(let service, let seconds):
      """
      \(service): usługa jest zajęta (czekano \(seconds) s). Spróbuj ponownie za chwilę; \
      zapisane już zdjęcia są bezpieczne.
      """
    case .errorCacheBusy(let seconds):
      """
      Inny proces PetSpot używa folderu danych (czekano \(seconds) s). Spróbuj ponownie, gdy \
      skończy.
      """
    case .errorUnreachable(let service, let detail):
      """
      \(service): nie można nawiązać połączenia (\(detail)). Sprawdź, czy usługa działa i czy \
      jej adres jest poprawny, a potem spróbuj ponownie; zapisane już zdjęcia są bezpieczne.
      """
    case .errorOverloaded(let service, let detail):
      """
      \(service): usługa jest przeciążona (\(detail)). Spróbuj ponownie za chwilę; zapisane już \
      zdjęcia są bezpieczne.
      """
    case .errorServiceFailed(let service, let detail):
      """
      \(service): usługa zwróciła błąd (\(detail)). Sprawdź jej klucze i uprawnienia, a potem \
      spróbuj ponownie; zapisane już zdjęcia są bezpieczne.
      """
    case .errorCancelled:
      "Przerwano; niczego nie zmieniono. Uruchom polecenie ponownie, aby kontynuować."
    case .errorSuperseded:
      """
      Podczas odczytu tego zdjęcia dodano do zgłoszenia inne i to ono pozostało. Jeśli to jest \
      właściwe, dodaj je ponownie.
      """
    case .errorRemoved:
      """
      Zdjęcie usunięto ze zgłoszenia podczas odczytu; niczego nie zapisano. Jeśli jest \
      potrzebne, dodaj je ponownie.
      """
    case .errorOwner(let target, let owner, let user):
      """
      \(target) należy do innego użytkownika: \(owner), a Ty to \(user), więc folder danych nie \
      jest używany. Uruchom PetSpot jako jego właściciel albo wybierz inny folder danych opcją \
      --cache DIR lub przez PETSPOT_CACHE; niczego nie zmieniono.
      """
    case .errorWritableByOthers(let target):
      """
      W \(target) mogą zapisywać inni, a jest tam więcej niż dane PetSpot, więc folder nie jest \
      używany. Odbierz innym prawo zapisu (chmod go-w \(target)) albo wybierz inny folder danych \
      opcją --cache DIR lub przez PETSPOT_CACHE; niczego nie zmieniono.
      """
    case .errorForeignEntry(let target, let noun):
      """
      \(target) to \(noun), a nie plik danych PetSpot, więc folder danych nie jest używany. Usuń \
      to albo wybierz inny folder danych opcją --cache DIR lub przez PETSPOT_CACHE; niczego nie \
      zmieniono.
      """
    case .errorUser(let number): "użytkownik \(number)"
    case .errorNoFile(let file): "Nie ma pliku \(file). Sprawdź nazwę i spróbuj ponownie."
    case .errorForbidden(let file, let mode):
      "\(file): brak uprawnień do odczytu. Zmień je (chmod \(mode)) i spróbuj ponownie."
    case .errorNotRead(let file, let reason, let remedy):
      "\(file): nie odczytano pliku: \(reason). \(remedy) i spróbuj ponownie."
    case .errorUnreadable(let file, let reason):
      "\(file): nie można odczytać pliku: \(reason). Sprawdź plik i spróbuj ponownie."
    case .errorFolder(let file): "\(file) to folder. Podaj zdjęcie, które w nim jest."
    case .errorPipe(let file):
      "\(file) to potok nazwany. Aby czytać z potoku, użyj: petspot attach - --name NAZWA < \(file)"
    case .errorNotAPhoto(let file, let noun): "\(file) to \(noun), nie zdjęcie. Podaj zwykły plik."
    case .errorChanged(let file):
      """
      \(file): plik zmienił się podczas odczytu. Poczekaj, aż będzie zapisany w całości, i \
      spróbuj ponownie.
      """
    case .errorStackLimit(let file, let kibibytes):
      """
      \(file): nie zdekodowano, bo ten system nie może odizolować dekodera (jego stos może mieć \
      \(kibibytes) KiB, a potrzebuje 8192). Zwiększ limit (ulimit -Hs 8192) i spróbuj ponownie.
      """
    case .errorAddressLimit(let file, let kibibytes):
      """
      \(file): nie zdekodowano, bo ten system nie może odizolować dekodera (może użyć \
      \(kibibytes) KiB przestrzeni adresowej, a potrzebuje 1048576). Zwiększ limit (ulimit -Hv \
      4194304) i spróbuj ponownie.
      """
    case .errorLimits(let file):
      """
      \(file): nie zdekodowano, bo ten system nie może odizolować dekodera (odmówiono ustawienia \
      limitów zasobów). Zwiększ twarde limity pamięci i czasu procesora (ulimit -H) i spróbuj \
      ponownie.
      """
    case .errorDecoderStart(let file):
      """
      \(file): nie zdekodowano, bo dekoder się nie uruchomił. Czego brakuje, pokaże: petspot \
      doctor
      """
    case .errorDecoderStack(let file):
      """
      \(file): nie zdekodowano, bo stos jest za mały dla dekodera. Zwiększ go (ulimit -s 8192) i \
      spróbuj ponownie.
      """
    case .errorDecoderAnswer(let file):
      """
      \(file): odrzucono, bo dekoder odpowiedział tak, jak żaden sprawny dekoder; plik mógł \
      zostać spreparowany, aby go zaatakować. Niczego nie zapisano; wybierz inne zdjęcie.
      """
    case .errorDecoderKilled(let file):
      """
      \(file): nie zdekodowano, bo coś dwukrotnie zakończyło dekoder; systemowi może brakować \
      pamięci. Zamknij inne programy i spróbuj ponownie.
      """
    case .errorNoLandlock(let file):
      """
      \(file): nie zdekodowano, bo ten system nie może odizolować dekodera (brak Landlock). Użyj \
      Linuksa 5.13 lub nowszego z włączonym Landlock albo zgódź się na słabszą ochronę: \
      --allow-weak-sandbox.
      """
    case .errorNoSeccomp(let file):
      """
      \(file): nie zdekodowano, bo ten system nie może odizolować dekodera (brak seccomp). Użyj \
      jądra lub kontenera, które pozwala na seccomp, albo zgódź się na słabszą ochronę: \
      --allow-weak-sandbox.
      """
    case .errorThreads(let file):
      """
      \(file): nie zdekodowano, bo ten system nie może odizolować dekodera (wątki ruszyły zbyt \
      wcześnie). Usuń biblioteki z LD_PRELOAD i spróbuj ponownie.
      """
    case .errorForeignLoader(let file):
      """
      \(file): nie zdekodowano, bo libvips w tym systemie użyłby modułów, którym PetSpot nie \
      ufa. Zainstaluj ponownie libvips 8.13 lub nowszy z pakietów systemu; zob. petspot doctor
      """
    case .remedyFiles: "Zamknij inne programy lub zwiększ limit otwartych plików (ulimit -n)"
    case .remedyMemory: "Zamknij inne programy, aby zwolnić pamięć,"
    case .remedyProcesses: "Zamknij inne programy lub zwiększ limit procesów (ulimit -u)"
    case .remedyFileSize: "Zwiększ limit rozmiaru plików (ulimit -f)"
    case .remedyReadOnly: "Zamontuj dysk do zapisu"
    case .remedyPermissions: "Popraw właściciela i uprawnienia folderu"
    case .remedyDisk: "Sprawdź dysk i uprawnienia folderu"
    case .fixVips: "Zainstaluj libvips: sudo apt-get install libvips42"
    case .fixMagic: "Zainstaluj bazę libmagic: sudo apt-get install libmagic-mgc"
    case .fixHEIC: "Zainstaluj libvips z HEIC: sudo apt-get install libvips42 libheif1"
    case .fixLandlock:
      """
      Użyj Linuksa 5.13 lub nowszego z Landlock albo zgódź się na słabszą ochronę: \
      --allow-weak-sandbox
      """
    case .fixSeccomp:
      "Użyj jądra lub kontenera z seccomp albo zgódź się na słabszą ochronę: --allow-weak-sandbox"
    case .fixOther: "Uruchom Scripts/bootstrap; zainstaluje to, czego brakuje"
    case .fixBlobs(let address):
      "\(address) nie zwraca tego, co przed chwilą zapisano. Użyj innego magazynu."
    case .fixBlobsClock(let address): "Ustaw zegar tego komputera lub magazynu \(address) (NTP)."
    case .fixDatabaseClock: "Ustaw zegar tego komputera lub bazy danych (NTP)."
    case .fixDatabaseRights(let address):
      """
      Pozwól temu użytkownikowi zapisywać w \(address): ustaw go jako właściciela schematu \
      petspot albo nadaj mu tam USAGE oraz SELECT, INSERT, UPDATE i DELETE do wszystkich tabel; \
      jeśli schematu jeszcze nie ma, GRANT CREATE ON DATABASE.
      """
    case .fixDurability(let address):
      "\(address) może utracić to, co już potwierdziła: ustaw fsync i synchronous_commit na on."
    case .doctorBlobsFailed: "obrazy    nie można użyć"
    case .doctorBlobs(let address, let library): "obrazy    \(address), przez \(library)"
    case .doctorPromise(let name): "          obsługuje \(name)"
    case .doctorNoPromise(let name): "          nie obsługuje \(name)"
    case .doctorDatabaseFailed: "baza      nie można użyć"
    case .doctorDatabase(let version, let address): "baza      PostgreSQL \(version), \(address)"
    case .doctorEncrypted: ", szyfrowane"
    case .doctorNotEncrypted: ", bez szyfrowania"
    case .doctorNoTables: " (jeszcze bez tabel)"
    case .doctorClockBehind(let milliseconds): "zegar     \(milliseconds) ms za zegarem bazy"
    case .doctorClockAhead(let milliseconds): "zegar     \(milliseconds) ms przed zegarem bazy"
    case .amount(let number, let what): "\(Self.polishNoun(what)): \(number)"
    case .amountOf(let size, let what): "\(Self.polishNoun(what)): \(size)"
    case .amountBeyond(let what): "\(Self.polishNoun(what)): więcej, niż da się policzyć"
    case .systemReason(let errno): Self.polishReason(errno)
    case .thousandsSeparator: "\u{A0}"
    case .sourceKept(let kept): kept.polish
    case .problem(let problem): problem.polish
    case .repair(let repair): repair.polish
    case .verifySummary(let report): report.polishLines
    case .verifyAdvice(let report, let repairs): report.polishAdvice(repairing: repairs)
    case .importTotals(let summary, let formatter): summary.polish(formatter)
    case .loss(let loss): Normalization.polishLoss(loss)
    case .removed(let removed): removed.polish
    case .stepColor(_, let profile):
      "przeliczyć kolory" + (profile.map { " z profilu " + $0 } ?? "")
    case .detailReason(let what): "powód: \(what)"
    case .detailRepaired(let what): "naprawiono: \(what)"
    case .detailRemoved(let what): "usunięto: \(what)"
    case .detailLost(let what): "utracono: \(what)"
    case .speciesValues: "pies, kot, ptak, królik, gryzoń, gad, inne"
    case .genderValues: "samiec, samica"
    case .headerColumns: "ID, ZAPISANO, ROZMIAR, PIKSELE"
    case .pageColumns: "Wynik, Kod, Plik, Powód"
    case .pageTotals: "Pliki, Zaimportowane, Duplikaty, Bez zmian, Pominięte, Błędy"
    case .workerDone(let parts, let files):
      "Przetworzono części: \(Amounts.number(parts)), pliki: \(Amounts.number(files))."
    case .runWorkers(let workers): "procesy: \(workers)"
    case .importTooManyErrors(let failed):
      "Zatrzymano po błędach: \(failed) (--max-errors). Uruchom polecenie bez tej opcji, aby "
        + "zaimportować resztę."
    case .sweepDone(let dryRun, let files, let size, let drafts):
      (dryRun ? "Do usunięcia: " : "Usunięto: ")
        + "pliki: \(Amounts.number(files)) (\(size)), porzucone zgłoszenia: \(Amounts.number(drafts))."
    case .movedPhotos(let move):
      "Przeniesione zdjęcia: \(Amounts.number(move.moved)) (\(Amounts.size(move.bytes))), "
        + "już obecne: \(Amounts.number(move.alreadyThere))"
    case .movedEntries(let move):
      "przeniesione wpisy: \(Amounts.number(move.entries)), "
        + "już obecne: \(Amounts.number(move.entriesThere))"
    case .movedMissing(let count): "brakujące: \(Amounts.number(count))"
    case .movedDamaged(let count): "uszkodzone: \(Amounts.number(count))"
    case .movedLeftOut(let count): "pominięte wpisy: \(Amounts.number(count))"
    case .movedDiffering(let count):
      "wpisy o innym stanie w miejscu docelowym: \(Amounts.number(count))"
    case .movedErased(let count): "wcześniej usunięte: \(Amounts.number(count))"
    case .countedOutcome(let count, let word):
      (["duplikat": "duplikaty", "błąd": "błędy"][word] ?? word) + ": \(Amounts.number(count))"
    case .noSuchCommand(let given): "Nie ma polecenia \(given)."
    case .didYouMean(let word): "Czy chodziło o \(word)?"
    case .severalPhotos(let beginning, let list):
      "Od \(beginning) zaczynają się identyfikatory kilku zdjęć: \(list). Podaj dłuższy początek."
    case .severalAnnouncements(let beginning, let list):
      "Od \(beginning) zaczynają się identyfikatory kilku ogłoszeń: \(list). Podaj dłuższy początek."
    }
  }
}

extension SourceKeptReason {
  fileprivate var polish: String {
    switch self {
    case .losses(let losses):
      "w zapisanym zdjęciu pominięto: "
        + losses.map(Normalization.lossWords).joined(separator: ", ")
    case .cut(let signs):
      signs.contains("frames")
        ? "brakuje w nim klatek animacji" : "brakuje jego końca, więc mógł być dłuższy"
    case .equalPixels: "w jego miejsce zapisano inny plik o tych samych pikselach"
    case .link: "prowadziło do niego dowiązanie"
    case .stored: "należy do folderu danych PetSpot"
    case .changed: "zmienił się po odczytaniu"
    case .unproved: "zapisanego zdjęcia nie udało się potwierdzić"
    case .failed(let errno): "system na to nie pozwolił (\(Amounts.reason(errno)))"
    case .storeFailed(let service, let detail): "\(service) na to nie pozwala: \(detail)"
    case .displaced(let path):
      "zmienił się i nazywa się teraz \(DisplayText.path(path)), bo inny plik zajął jego nazwę"
    }
  }
}

extension StoreProblem {
  fileprivate var polish: String {
    switch self {
    case .missing: "plik zniknął"
    case .size: "plik ma inny rozmiar niż zapisano"
    case .digest: "zawartość pliku różni się od zapisanej"
    case .swapped: "plik zawiera inny obraz"
    case .unreadable: "pliku nie można odczytać"
    case .unavailable: "magazyn nie mógł go udostępnić"
    case .structure: "struktura obrazu jest uszkodzona"
    case .metadata: "plik zawiera więcej niż obraz"
    case .decode: "obrazu nie można zdekodować"
    case .record: "wpis został zmieniony"
    case .reference: "wpis wskazuje na coś, czego nie ma"
    }
  }
}

extension VerifyReport.Repair {
  fileprivate var polish: String {
    switch self {
    case .done(.source): "naprawiono z oryginału"
    case .done(.remade):
      "utworzono na nowo z oryginału; bajty są inne niż dawniej, bo zmieniły się "
        + "dekodery"
    case .done(.cleaned): "oczyszczono ponownie; piksele są te same"
    case .done(.quarantine): "naprawiono z kopii w quarantine"
    case .done(.blob): "naprawiono z zapisanego obrazu"
    case .done(.record): "naprawiono"
    case .done(.sealed): "naprawiono to, co da się potwierdzić; sprawdź nazwę i datę"
    case .done(.released): "usunięto wpis; zaimportuj lub dodaj zdjęcie ponownie"
    case .failed(.noSource): "nie naprawiono: nie ma oryginału"
    case .failed(.sourceChanged): "nie naprawiono: oryginał się zmienił"
    case .failed(.otherBytes): "nie naprawiono: oryginał daje dziś inny obraz"
    case .failed(.storage): "nie naprawiono: nie udało się zapisać w folderze danych"
    }
  }
}

extension VerifyReport {
  fileprivate var polishLines: String {
    var lines = [
      "Sprawdzono: \(Amounts.number(checked)), uszkodzone: \(Amounts.number(damaged)), "
        + "brakujące: \(Amounts.number(missing))"
        + (unavailable > 0 ? ", niedostępne: \(Amounts.number(unavailable))" : "")
        + (repaired > 0 ? ", naprawione: \(Amounts.number(repaired))" : "")
    ]
    if quarantined > 0 {
      lines.append("Uszkodzone pliki przeniesione do quarantine/ w folderze danych: \(quarantined)")
    }
    if orphans + leftovers > 0, !recordsLost {
      lines.append("Pliki bez wpisu: \(orphans + leftovers); usuń je poleceniem: petspot sweep")
    }
    return lines.joined(separator: "\n")
  }

  fileprivate func polishAdvice(repairing: Bool) -> String {
    if isIncomplete {
      return
        "Magazyn nie udostępnił wszystkich obrazów, więc wymienionych powyżej nie sprawdzono. Zajrzyj "
        + "do jego dziennika i sprawdź ponownie"
        + (repairing
          ? " albo wskaż folder z oryginałami: petspot verify --repair --from DIR"
          : " albo przywróć je z oryginałów poleceniem: petspot verify --repair")
    }
    if damaged + missing == repaired {
      return "Rejestr został kiedyś utracony; zdjęcia bez wpisu: \(orphans). Zaimportuj lub dodaj "
        + "ich oryginały ponownie albo przywróć rejestr z kopii zapasowej; nic nie jest usuwane."
    }
    return repairing
      ? "Tego, co wymieniono powyżej, nie udało się naprawić. Dodaj lub zaimportuj zdjęcia ponownie "
        + "albo wskaż folder z oryginałami: petspot verify --all --repair --from DIR"
      : "Przywróć wymienione zdjęcia poleceniem: petspot verify --all --repair"
  }
}

extension ImportSummary {
  fileprivate func polish(_ formatter: ImportFormatter) -> String {
    let parts = [
      (imported, formatter.dryRun ? "do zaimportowania" : "zaimportowano"),
      (duplicates, "duplikaty"),
      (unchanged, "bez zmian"), (skipped, formatter.dryRun ? "do pominięcia" : "pominięto"),
      (failed, "błędy"),
    ]
    let counts = parts.filter { $0.0 > 0 }.map { "\($0.1): \(Amounts.number($0.0))" }
    let list = counts.isEmpty ? "nic do zaimportowania" : counts.joined(separator: ", ")
    let gone = formatter.moves && !formatter.dryRun ? movedSources : deletedSources
    let verb =
      formatter.dryRun
      ? (formatter.moves ? "Oryginały do przeniesienia" : "Oryginały do usunięcia")
      : (formatter.moves ? "Przeniesione oryginały" : "Usunięte oryginały")
    let sources =
      gone + keptSources == 0
      ? "" : " \(verb): \(Amounts.number(gone)), pozostawione: \(Amounts.number(keptSources))."
    let work =
      formatter.dryRun
      ? " Przejrzano \(Amounts.size(bytesRead)), czas: \(Amounts.duration(seconds)); niczego nie zapisano."
        + (imported > 1
          ? " Kopie, które różnią się tylko metadanymi, liczą się tu jako nowe." : "")
      : " Odczytano \(Amounts.size(bytesRead)), zapisano \(Amounts.size(bytesWritten)), czas: "
        + "\(Amounts.duration(seconds))."
    return "Pliki: \(Amounts.number(files)); \(list)." + work + sources
  }
}

extension Normalization {
  fileprivate static func polishLoss(_ loss: String) -> String {
    switch loss {
    case "frames": "uszkodzone klatki"
    case "animation": "animacja"
    case "gamut": "kolory spoza sRGB"
    case "hdr": "duży zakres jasności (HDR)"
    case "color": "dokładne kolory"
    case "cmyk": "kolory druku (CMYK)"
    case "bit-depth": "więcej niż 8 bitów na kanał"
    case "motion-video": "film"
    case "second-picture": "drugie zdjęcie"
    case "thumbnail": "miniatura"
    case "depth-map": "mapa głębi"
    case "gain-map": "mapa jasności HDR"
    default: loss.replacing("-", with: " ")
    }
  }
}

extension Normalization.Removed {
  fileprivate var polish: String {
    switch kind {
    case "exif", "xmp", "iptc": kind.uppercased()
    case "location": "lokalizacja"
    case "color-profile": "profil kolorów"
    case "comment": "komentarze"
    case "text": "tekst"
    case "application": "dane programów"
    case "unknown": "nieznane dane"
    case "trailing": "bajty za końcem obrazu"
    default: Normalization.lossWords(kind)
    }
  }
}
