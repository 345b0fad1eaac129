"""More words of one meaning, in the form of `lexicon`: what running prose says instead of what a page says.

A word may be in several groups; groups are not joined through it ("start" is both "begin" and "found").
"""

GROUPS = """
found founded founds start started starts begin began begun launch launched launches establish established set-up oprichten opgericht richtte beginnen begon begonnen starten startte gestart opgezet stichten gesticht
open opened opens launch launched found founded openen opende geopend
raise raised raises grow grew grown opgroeien opgegroeid groeide grootgebracht
move moved moves come came comes arrive arrived relocate relocated settle settled settles emigrate emigrated verhuizen verhuisd verhuisde komen kwam gekomen vestigde gevestigd vertrok vertrokken
complete completed completes finish finished finishes conclude concluded wrap voltooien voltooid voltooide afronden afgerond rondde afmaken afgemaakt klaar
obtain obtained earn earned gain gained get got receive received take took take-out behalen behaald haalde krijgen kreeg gekregen ontvangen ontving complete completed
accept accepts accepted take takes took aannemen aangenomen aanvaarden aanvaardt accepteren accepteert geaccepteerd neemt
publish published publishes appear appeared appears feature featured features release released releases came-out verschijnen verscheen verschenen publiceren gepubliceerd uitgebracht uitgekomen kwam-uit
release released releases launch launched uitbrengen uitgebracht
live lives lived reside resides resided based wonen woont woonde gevestigd
specialise specialises specialised specialize specializes specialized focus focuses focused concentrate concentrates specialist specialism expertise specialiseren gespecialiseerd richt gericht toegelegd specialisatie
start starts started begin begins began commence commences aanvangen aanvang
run runs ran running manage manages managed lead leads led leading head heads headed direct directs directed operate operates operated charge runt runnen geleid leidt leiding managet directeur director conduct conducts conducted dirigeert dirigeren beheert beheren exploiteren
teach teaches taught teaching lesson lessons instruct instructs instruction les lessen lesgeven doceren doceert onderwijzen
learn learns learned learnt taught teach leren geleerd leerde les lessen
train trains trained training educate educated opleiden opgeleid leiden~op opleiding geschoold
study studies studied studying attend attended degree read studeren gestudeerd studeerde studie opleiding
make makes made create creates created produce produces produced craft crafts crafted handmade manufacture manufactured maken maakt maakte gemaakt vervaardigen vervaardigd produceren geproduceerd creeren
make makes made draw draws drew drawn prepare prepares prepared opstellen opgesteld stellen maken
build builds built construct constructed constructs erect erected date dates bouwen gebouwd bouwde gebouw opgetrokken
rebuild rebuilt renovate renovated refurbish refurbished restore restored modernise modernised verbouwen verbouwd verbouwing renoveren gerenoveerd vernieuwen vernieuwd vernieuwde herbouwen herbouwd opgeknapt opknappen
replace replaced replaces renew renewed vervangen vervangt vernieuwen vernieuwd vernieuwde
restore restores restored restoring restoration restorations restaureren restaureert gerestaureerd restauratie restauraties
repair repairs repaired fix fixes fixed mend mends repareren herstellen reparatie maken
sell sells sold selling sale stock stocks offer offers carry verkopen verkoopt verkocht verkoop koop aanbieden biedt verkrijgbaar
buy buys bought purchase purchases purchased acquire acquired order ordered kopen koopt gekocht kocht aanschaffen aangeschaft afnemen verwerven verworven
rent rents rented hire hires hired rental lease leased leases huren huurt gehuurd verhuren verhuurt verhuurd huur verhuur
deliver delivers delivered delivery ship ships shipped shipping bring brings bezorgen bezorgt bezorgd bezorging leveren levert geleverd levering thuisbezorgd
send sends sent return returns returned ship terugsturen stuurt terugzenden retourneren retour opsturen
refund refunds refunded reimburse reimbursed money-back repay repaid terugbetalen terugbetaald terugbetaling vergoeden vergoed teruggestort terugkrijgen restitutie
charge charges charged fee fees cost costs pay pays payable rate rates price prices kost kosten tarief tarieven prijs prijzen rekenen rekent vragen vraagt betalen betaalt
pay pays paid payment payments payable betalen betaalt betaald betaling betalingen
cancel cancels cancelled canceled cancelling cancellation cancellations annuleren annuleert geannuleerd annulering afzeggen afgezegd afzegt
book books booked booking bookings reserve reserves reserved reservation reservations appointment reserveren gereserveerd reservering boeken geboekt boeking
register registers registered registration enrol enrols enrolled enrolment sign signs signed application apply applies aanmelden aangemeld aanmelding meld inschrijven ingeschreven inschrijving opgeven opgave
write writes wrote written email emails emailed mail mails mailed e-mail reach reached contact contacts contacted schrijven schrijf mailen mail mailt bereiken bereikbaar
call calls called phone phones phoned ring telephone reach reached contact bellen bel belt gebeld telefonisch telefoon telefoonnummer bereiken bereikbaar
reply replies replied answer answers answered respond responds responded response hear antwoorden antwoordt antwoord beantwoord reageren reageert reactie
ask asks asked asking question questions inquire enquire vragen vraagt vroeg gevraagd vraag navragen
want wants wanted wish wishes wished like likes liked wilt willen wensen wenst
visit visits visited visiting come comes came coming drop drops call view see attend visitable bezoeken bezoekt bezocht bezoek bezoekje komen komt kom langskomen langs binnenlopen terecht bezichtigen bezichtigd
open opens opened opening visit visited visiting bezoeken bezichtigen toegankelijk geopend
close closes closed closing shut shuts dicht gesloten sluiten sluit gesloten sluiting
welcome welcomed welcomes allow allows allowed permit permits permitted accept accepts accepted welkom toegestaan toelaten toegelaten mag mogen
forbid forbidden forbids ban banned prohibit prohibited verboden verbieden
join joins joined part member members joining sluiten aangesloten lid deelnemen toegetreden
participate participates participated take join joins attend attends deelnemen deelneemt deelname meedoen meedoet
lend lends lent borrow borrows loan uitlenen lenen geleend
exhibit exhibits exhibited exhibition exhibitions show shows showed shown display displayed displays tentoonstellen tentoongesteld exposeren geexposeerd expositie tentoonstelling getoond vertoond
photograph photographs photographed photographing photo photos photography picture pictures shoot shoots shot fotograferen fotografeert gefotografeerd foto fotografie
film films filmed shoot shot filmen gefilmd
paint paints painted painting paintings schilderen geschilderd schildert schilderij
perform performs performed performance performances play plays played appear optreden treedt opgetreden optreden spelen speelt gespeeld
play plays played player speler spelen speelt musician
sing sings sang sung singer vocals zingen zingt gezongen zanger zangeres
rehearse rehearses rehearsed rehearsal rehearsals practise practises repeteren repeteert gerepeteerd repetitie repetities oefenen oefent
win wins won winner winnen wint won gewonnen winnaar winnares
awarded bekroond onderscheiden toegekend
shortlist shortlisted nominated nominee nomination nominations genomineerd nominatie
translate translates translated translation available vertalen vertaald vertaling
work works worked working job employ employed employs career werken werkt werkte gewerkt baan dienst
volunteer volunteers volunteered volunteering vrijwilliger vrijwilligers vrijwilligerswerk
spend spends spent use besteden besteed doorbrengen doorgebracht
help helps helped assist assists assisted support supports supported helpen helpt geholpen ondersteunen ondersteund ondersteuning hulp
advise advises advised advice recommend recommends recommended suggest suggests suggested advisable adviseren adviseert advies aanraden raden aangeraden aanbevelen aanbevolen
explain explains explained tell tells discuss discusses discussed uitleggen uitgelegd bespreken besproken toelichten
examine examines examined examination check checks checked assess assesses assessed onderzoeken onderzoekt onderzoek controleren bekijken beoordelen
treat treats treated treating treatment treatments handle help helps behandelen behandelt behandeld behandeling behandelingen
measure measures measured meten gemeten
plant plants planted planting grow grows grew grown cultivate cultivated planten plant geplant telen teelt geteeld kweken kweekt gekweekt verbouwen
harvest harvests harvested pick picked oogsten geoogst plukken geplukt
grind grinds ground mill mills milled malen gemalen maalt maalde
bake bakes baked baking baker bakken gebakken bakt
cook cooks cooked cooking prepare prepares prepared koken kookt gekookt bereiden bereid
brew brews brewed brewing brewer brouwen brouwt gebrouwen
try tries tried trial test tests tested uitproberen uitgeprobeerd proberen probeert proef
choose chooses chose chosen choice pick picks picked select selects selected opt kiezen kiest gekozen keuze uitkiezen
replaced succeed succeeded succeeds take-over took opvolgen opgevolgd opvolger overnemen overgenomen neemt~over nam~over
inherit takeover overnemen overgenomen overname
write writes wrote written author authored schrijven schreef geschreven auteur
edit edits edited editing editor redigeren geredigeerd redactie redacteur
research researches researched researching study studies studied studying investigate investigates investigated onderzoeken onderzocht onderzoek bestuderen bestudeert
know knows knew known understand bekend kennen kent
die dies died death pass passed overlijden overleden overleed stierf gestorven dood
marry marries married wed husband wife trouwen getrouwd trouwde gehuwd huwelijk
destroy destroys destroyed lose lost ruin ruined vernielen vernield verwoest verwoesten verloren
damage damages damaged beschadigen beschadigd schade
save saves saved rescue rescued preserve preserved keep kept redden gered bewaren bewaard behouden
store stores stored keep keeps kept bewaren bewaard opslaan opgeslagen
leave leaves left depart departs departed out vertrekken vertrekt vertrok verlaten weggaan
arrive arrives arrived arrival check-in check come aankomen aankomst komt inchecken
last lasts lasted take takes took duration long duren duurt duurde duur neemt
wait waits waited waiting wachten wacht wachttijd
park parks parked parking car cars parkeren geparkeerd parkeerplaats
cycle cycles cycled cycling bike fietsen gefietst fiets
walk walks walked walking foot wandelen gewandeld lopen gelopen voet
travel travels travelled traveled trip trips journey journeys reizen gereisd reist reis reizen tocht
cover covers covered include includes included including dekken gedekt vergoed vergoeden inbegrepen inclusief
include includes included including inclusive comes price inbegrepen inclusief inbegrip meegenomen
contain contains contained containing consist consists made bevatten bevat bestaan bestaat zitten
own owns owned owner belong belongs property bezitten bezit eigenaar eigendom behoren
belong belongs belonged part member horen hoort behoort lid
stop stops stopped cease ceased stand stood idle end ended stoppen gestopt stopte ophouden opgehouden stil stilstaan stilgestaan stilgelegd
rest rests rested unused idle stil
turn turns turned spin draaien draait gedraaid
operate operates operated operation operational work worked use bedrijf werking werkzaam gebruik
sleep sleeps slept accommodate accommodates accommodated accommodation stay stays room slapen slaapt overnachten overnachting
reduce reduces reduced reduction discount verlagen verlaagd korting
increase increased increases raise raised rise rises rose verhogen verhoogd stijgen gestegen toegenomen
limit limits limited maximum restrict restricted beperken beperkt maximum
need needs needed necessary require requires required requirement hoeven hoeft nodig noodzakelijk vereist vereisen benodigd
bring brings brought take takes took meenemen meegenomen meebrengen neem brengen
wear wears wore worn dragen draagt gedragen
collect collects collected pick pick-up gather gathered afhalen afgehaald ophalen opgehaald verzamelen verzameld
gather gathers gathered meet meets met meeting meetings bijeenkomen bijeenkomst samenkomen vergaderen vergadering
supply supplies supplied source sources sourced leveren geleverd levert leverancier betrekken betrokken
consult consults consulted consultation see sees raadplegen geraadpleegd consult
donate donates donated donation donations give gives gave given doneren gedoneerd donatie schenken geschonken
name names named call calls called title titled entitle entitled noemen genoemd heten heet getiteld vernoemd
born birth native geboren geboorte afkomstig
graduate graduates graduated graduation degree afstuderen afgestudeerd studeerde
retire retires retired retirement pensioen gepensioneerd
appoint appoints appointed become became made benoemd benoemen aangesteld aanstellen werd
hire hires hired employ employs employed recruit recruits seek seeks looking aannemen zoeken zoekt vacature
seek seeks sought look looks looking search searching zoeken zoekt gezocht zoek
speak speaks spoke spoken talk talks talked lecture lectures speech lezing lezingen spreken spreekt spreker
plan plans planned schedule schedules scheduled planning gepland plannen ingepland staan
hope hopes hoped aim aims intend hopen hoopt verwacht
close~down dissolve dissolved opgeheven
climb climbs climbed climbing klimmen beklimmen
attract attracts attracted draw draws trekken trekt
inspire inspires inspired inspiration inspireren geinspireerd inspiratie
host hosts hosted organise organises organised organize organizes organized hold holds held run runs give gives organiseren organiseert georganiseerd houden gehouden geven geeft verzorgen plaatsvinden
guide guides guided guiding tour tours rondleiding rondleidingen rondleiden gids
install installs installed installation fit fits fitted assemble assembled assembly montage monteren gemonteerd plaatsen geplaatst installeren installatie
grow grows grew expand expands expanded groeien groeit gegroeid uitbreiden uitgebreid
located situated based lies lying stands found nestled gelegen gevestigd ligt staat bevindt zit zitten vinden
former formerly ex voormalig voormalige oud oude vroegere old onetime
current currently present presently today huidig huidige tegenwoordig momenteel nu
central centre center middle heart centrum centraal centrale hartje midden
north northern noord noorden noordelijk noordelijke | south southern zuid zuiden zuidelijk zuidelijke | east eastern oost oosten oostelijk oostelijke | west western westen westelijk westelijke
owner owners proprietor run runs eigenaar eigenares uitbater | founder founders founded started oprichter oprichtster oprichters
assistant assistants aide helper assistent assistente | colleague colleagues coworker co-worker collega collega's
pupils pupil student students learner learners trainee trainees apprentice apprentices leerling leerlingen cursist cursisten student studenten
children child kid kids youngster youngsters kind kinderen kleintjes | teenager teenagers teen teens adolescent tiener tieners puber jongere jongeren | adult adults grown-up volwassene volwassenen
elderly senior seniors pensioners retired ouderen senioren gepensioneerden | parents mother father ouders
insurer insurers insurance insurances zorgverzekeraar verzekeraar verzekeraars verzekering | doctor gp physician huisarts dokter arts | referral referrals referred verwijzing verwijsbrief doorverwijzing verwezen
complaint complaints problem problems issue issues trouble condition conditions symptom symptoms klacht klachten probleem problemen aandoening aandoeningen | injury injuries injured blessure blessures letsel
session sessions appointment appointments visit visits treatment treatments sessie sessies behandeling behandelingen afspraak | consultation meeting intake conversation talk gesprek kennismaking intake consult kennismakingsgesprek
quote quotes quotation estimate offerte offertes prijsopgave | sketch sketches drawing drawings design schets schetsen tekening ontwerp | deposit down-payment aanbetaling voorschot
guarantee guarantees warranty warranties garantie | price prices cost costs fee fees rate rates charge charges tariff prijs prijzen kosten tarief tarieven bedrag | free gratis kosteloos charge complimentary nothing vrijblijvend
discount reduction cheaper korting | extra additional surcharge supplement more extra bijkomend aanvullend toeslag bijkomende
workshop workshops course courses class classes lesson lessons cursus cursussen les lessen | workshop studio atelier werkplaats
factory factories plant works fabriek fabrieken | cigar cigars sigaar sigaren | furniture meubel meubels meubelen meubilair | cupboard cupboards wardrobe cabinet cabinets closet kast kasten | table tables tafel tafels | stairs staircase staircases stair steps trap trappen | chair chairs stoel stoelen
wood wooden timber houten hout | oak eik eiken | ash essen | cherry kersen kersenhout | tropical tropisch tropische | piece pieces item items object objects stuk stukken exemplaar
antique antiques antiek antieke | made-to-measure bespoke custom measure maat maatwerk
picture pictures photo photos photograph photographs image images photography foto foto's beeld beelden fotografie | documentary documentair documentaire | wedding weddings marriage bruiloft bruiloften trouwerij huwelijk trouwreportage | commission commissions assignment assignments opdracht opdrachten
print prints afdruk afdrukken | magazine magazines periodical tijdschrift tijdschriften blad bladen | newspaper newspapers paper papers krant kranten dagblad | article articles paper papers piece artikel artikelen stuk publicatie publicaties
book books novel boek boeken titel uitgave | series cycle reeks serie | prize prizes award awards prijs prijzen onderscheiding | shortlist shortlisted finalist nominated
museum museums gallery galleries galerie | charity charities goede-doel nonprofit non-profit goede doelen | fisherman fishermen visser vissers | boat boats ship ships vessel boot boten schip schepen | ferry ferries veerboot veerboten veerpont
mill mills windmill windmills molen molens korenmolen watermolen | miller millers molenaar molenaars | flour meal meel | honey honing | beekeeper imker imkers | bag bags sack sacks zak zakken | kilo kilos kg kilogram kilogrammen | gram grams g gr gramme
ticket tickets admission entry entrance kaartje kaartjes toegang entree toegangskaart toegangsprijs | group groups party parties groep groepen gezelschap gezelschappen | dog dogs hond honden huisdier | wheelchair wheelchairs rolstoel rolstoelen | ground-floor begane grond parterre | steep steil steile
volunteers volunteer vrijwilligers | year-round jaarrond | summer summers zomer zomers zomermaanden | winter winters wintermaanden | season seasonal seizoen
teacher teachers instructor instructors tutor docent docenten leraar leraren | band bands bandje | school schools scholen
member members lid leden | lesson lessons les lessen | weekly week wekelijks wekelijkse | monthly month maandelijks maandelijkse | annual annually yearly year jaarlijks jaarlijkse jaar | daily day dagelijks dagelijkse
holiday holidays vacation vakantie vakanties schoolvakantie | municipality council city town gemeente gemeenten stad
university universities universiteit universiteiten | chemistry scheikunde | biology biologie | company companies business businesses firm firms bedrijf bedrijven onderneming ondernemingen firma | family-business familiebedrijf
coffee koffie | order orders bestelling bestellingen order | order orders ordering bestellen bestelt besteld | working workday workdays business werkdag werkdagen | webshop online webwinkel web
sister sisters zus zussen zusje | brother brothers broer broers broertje | daughter daughters dochter dochters dochtertje | son sons zoon zoons zonen zoontje
month months maand maanden | week weeks weken | minute minutes min minuut minuten | hour hours uur uren | spring lente voorjaar | morning mornings ochtend ochtenden | afternoon afternoons middag middagen namiddag | evening evenings avond avonden | night nights nacht nachten | noon midday
parking park parkeerplaats parkeren parkeergelegenheid | stop halte | train trains trein treinen | station stations treinstation | bus buses bussen | bicycle bicycles bike bikes fiets fietsen | car cars auto auto's wagen
opening-hours hours openingstijden | address adres adressen | mail email e-mail mailadres e-mailadres | phone telephone number telefoon telefoonnummer nummer | website site websites webpagina
first initial introductory eerste kennismaking | last final latest laatste | next following volgende daaropvolgende | previous prior preceding earlier eerder eerdere vorige voorgaande | several various multiple diverse verschillende meerdere diverse enkele | various different diverse verscheidene allerlei
north-east northeast noordoosten | south-west southwest zuidwesten | european europees europese europe europa | african afrikaans | american amerikaans amerikaanse america amerika | sweden swedish zweden zweeds zweedse | denmark danish denemarken deens deense | germany german duitsland duits duitse | france french frankrijk frans franse | italy italian italie italiaans italiaanse | spain spanish spanje spaans spaanse | england english engeland engels engelse | netherlands dutch nederland nederlands nederlandse | belgium belgian belgie belgisch belgische | scotland scottish schotland schots schotse | japan japanese japans japanse | china chinese chinees | switzerland swiss zwitserland zwitsers zwitserse | austria austrian oostenrijk oostenrijks | poland polish polen pools poolse | ireland irish ierland iers ierse | turkey turkish turkije turks turkse | greece greek griekenland grieks griekse
vegetarian vegetarians vegetarisch vegetarische vegetarier | vegan vegans veganistisch | allergy allergies allergic allergie allergieen allergisch | gluten-free glutenvrij glutenvrije | bread loaf brood | pastry pastries gebak | dish dishes meal meals gerecht gerechten maaltijd maaltijden | ingredient ingredients ingredient ingredienten | cheese cheeses kaas kazen | meat vlees | vegetables groente groenten | fruit fruits | beer beers bier bieren bierviltje | wine wines wijn wijnen | glass glasses glas glazen | bottle bottles fles flessen | kitchen kitchens keuken keukens | room rooms kamer kamers zaal zalen ruimte | floor floors storey verdieping verdiepingen etage | garden gardens tuin tuinen | house houses home homes huis huizen woning woningen | shop shops store stores winkel winkels zaak zaken | roof roofs dak daken | wall walls muur muren | window windows raam ramen | door doors deur deuren | church churches kerk kerken | castle castles kasteel kastelen | street streets straat straten | square plein pleinen | river rivers rivier rivieren | bridge bridges brug bruggen | mountain mountains berg bergen | forest forests wood woods bos bossen | beach beaches strand stranden | island islands eiland eilanden | village villages dorp dorpen | country countries land landen | world wereld | city cities stad steden
lawyer lawyers attorney solicitor advocaat advocaten jurist | notary notaris | contract contracts agreement agreements overeenkomst overeenkomsten | dismissal redundancy ontslag | employment labour arbeid arbeidsrecht | court courts tribunal rechtbank rechter | client clients customer customers klant klanten client clienten | tenant tenants renter huurder huurders
therapist therapists therapeut therapeuten | dentist dentists tandarts tandartsen | nurse nurses verpleegkundige verpleegkundigen | patient patients patient patienten | pain pains ache pijn pijnen | tooth teeth tand tanden kies kiezen | knee knees knie knieen | shoulder shoulders schouder schouders | neck nek | foot feet voet voeten | hand hands hand handen | hip hips heup heupen | eye eyes oog ogen | exercise exercises oefening oefeningen
garage workshop werkplaats | tyre tyres tire tires band banden autoband | brake brakes rem remmen | oil olie | engine motor | inspection mot apk keuring | electric electrical elektrisch elektrische | second-hand used tweedehands gebruikt gebruikte occasion
actor actors actress acteur acteurs actrice | play plays toneelstuk stuk voorstelling | show shows voorstelling voorstellingen optreden | audience publiek | stage podium toneel | choir choirs koor koren | singer singers zanger zangers | song songs lied liederen nummer nummers | album albums plaat platen | concert concerts concerten optreden optredens gig gigs | composer composers componist componisten | conductor dirigent dirigente
architect architects architecte architecten | design designs ontwerp ontwerpen | engineer engineers ingenieur ingenieurs | programmer developer developers software-engineer programmeur ontwikkelaar | scientist researcher researchers onderzoeker onderzoekers wetenschapper wetenschappers | professor hoogleraar | author authors writer writers auteur auteurs schrijver schrijvers schrijfster | painter painters schilder schilders | sculptor sculptors beeldhouwer beeldhouwers | sculpture sculptures statue beeld beelden beeldhouwwerk | poem poems poetry gedicht gedichten poezie | artist artists kunstenaar kunstenaars kunstenares | craftsman maker ambachtsman vakman
experience experienced ervaring ervaren | skill skills vaardigheid vaardigheden | education training schooling opleiding onderwijs | degree diploma graad | job jobs position role post baan functie rol | career loopbaan carriere | team crew ploeg | staff employees personnel personeel medewerkers werknemers | boss manager director directeur baas chef leidinggevende | chairman chairwoman chair president voorzitter | treasurer penningmeester | secretary secretaris
century centuries eeuw eeuwen | war wars oorlog oorlogen | history geschiedenis historie | ancient old age-old oud oude eeuwenoud | modern modern moderne contemporary hedendaags | big large sizable groot grote | small little tiny modest compact klein kleine kleinschalig | new newly nieuw nieuwe | young jong jonge | cheap inexpensive affordable goedkoop goedkope betaalbaar | expensive costly pricey duur dure | fast quick rapid snel snelle | slow langzaam traag | warm heated verwarmd warme | safe secure veilig veilige | clean schoon | important belangrijk | well-known famous renowned bekend beroemd | whole entire complete full hele heel geheel volledig | half halve helft
advance ahead beforehand prior vooraf tevoren vantevoren voorhand | immediately straight right away directly direct meteen onmiddellijk | soon shortly binnenkort spoedig | together jointly samen gezamenlijk | separately separate apart afzonderlijk | personally person zelf persoonlijk | online digital digitally digitaal internet | by-appointment appointment afspraak | mandatory compulsory obligatory required verplicht | optional optioneel | possible mogelijk | risk risks risico risico's | responsibility verantwoordelijkheid rekening | rule rules regel regels huisregels | exception exceptions uitzondering uitzonderingen
cash contant contante | card pin pinnen pinpas betaalpas | invoice bill factuur rekening nota | payment betaling | money geld
"""
