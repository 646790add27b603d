/** What a column of somebody's file holds, by the many names that people give it. */

export type Field = keyof typeof NAMES

/** As `bare` writes them. */
const NAMES = {
  id: 'id number externalid recordid uniqueid sourceid crmid personid',
  first_name: 'firstname first givenname forename fname',
  last_name: 'lastname last surname familyname lname',
  full_name: 'name fullname displayname client contact customer plaintiff',
  email: 'email emailaddress mail primaryemail',
  mobile:
    'mobile mobilephone mobilenumber cell cellphone cellnumber phone phonenumber telephone telephonenumber tel primaryphone mainphone homephone workphone otherphone phone1 phone2',
  gender: 'gender sex',
  date_of_birth: 'dateofbirth dob birthdate birthday born',
  date_of_death: 'dateofdeath dod deathdate',
  deceased: 'deceased isdeceased dead',
  address_line1: 'address address1 addressline1 street streetaddress mailingaddress homeaddress',
  address_line2: 'address2 addressline2 street2 apt apartment unit suite',
  city: 'city town',
  state: 'state province stateprovince region mailingstate',
  postal_code: 'zip zipcode postalcode postcode postal',
  timezone: 'timezone tz',
  no_calls:
    'donotcall dnc nocalls nocall voiceoptout calloptout phoneoptout optedoutcalls optedoutofcalls callsoptedout voicecallsoptedout calloptedout',
  no_texts:
    'donottext nosms notexts donotsms smsoptout textoptout optedoutsms smsoptedout optedouttexts optedoutoftexts',
  no_email: 'donotemail noemail emailoptout emailoptedout optedoutemail optedoutofemail unsubscribed',
  no_contact: 'donotcontact optout optedout',
  calls_allowed: 'oktocall maycall callconsent consenttocall phoneconsent calloptin voiceconsent',
  texts_allowed: 'oktotext maytext smsconsent textconsent consenttotext smsoptin textoptin',
  email_allowed: 'oktoemail mayemail emailconsent emailoptin',
  case_number: 'casenumber caseno casenum caseid docket docketnumber docketno matterid fileid',
  case_name: 'case casename caption casetitle style matter',
  case_type: 'type casetype practicearea areaoflaw practice category',
  case_status: 'status casestatus stage casestage phase',
  court_name: 'court courtname venue',
  jurisdiction: 'jurisdiction county',
  description: 'description casedescription',
  court_date: 'courtdate nextcourtdate hearing hearingdate nexthearing nexthearingdate trialdate',
  created_date: 'dateopened opened opendate openeddate created createddate datecreated intakedate',
  handled_by:
    'attorney responsibleattorney assignedattorney leadattorney attorneyname lawyer paralegal casemanager assignedto',
  end_date: 'dateclosed closed closedate closeddate enddate',
}

const FIELD_OF = new Map(
  Object.entries(NAMES).flatMap(([field, names]) => names.split(' ').map((name) => [name, field as Field] as const)),
)

export interface Column {
  header: string
  /** Null for a column that says nothing to us: it is kept beside the contact. */
  field: Field | null
}

/** Fields that several columns may give; the first that holds something counts. */
const SEVERAL: Field[] = ['mobile', 'email']

/** What each column of the header holds. Of two columns for one field the second is kept beside the contact. */
export function columnsOf(header: string[]): Column[] {
  const taken = new Set<Field>()
  const split = header.some((name) => fieldOf(name) === 'last_name')
  return header.map((name, index) => {
    const field = fieldOf(name)
    const free = field && (SEVERAL.includes(field) || !taken.has(field)) && !(field === 'full_name' && split)
    if (free) taken.add(field)
    return { header: name || `Column ${index + 1}`, field: free ? field : null }
  })
}

function fieldOf(header: string): Field | null {
  const name = bare(header)
  return (
    FIELD_OF.get(name) ??
    FIELD_OF.get(name.replace(/^(client|contact|customer|plaintiff|lead|person|patient)s?/, '')) ??
    null
  )
}

/** `Matter No.` → `caseno` */
function bare(header: string): string {
  return header
    .normalize('NFD')
    .toLowerCase()
    .replace(/#/g, 'number')
    .replace(/[^a-z0-9]/g, '')
    .replace(/^(matter|file)(?=.)/, 'case')
}
