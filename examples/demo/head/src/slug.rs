/// The text as it may stand in an address: lower case, words joined by dashes.
pub fn slug(text: &str) -> String {
    // Letters beyond ASCII get lower case, too, and dashes are cleaned up afterwards.
    let lower: String = text.chars().flat_map(char::to_lowercase).collect();
    let dashed = lower.replace(|c: char| !c.is_alphanumeric(), "-");
    let mut slug = String::new();
    for c in dashed.chars() {
        if c != '-' || !slug.ends_with('-') {
            slug.push(c);
        }
    }
    slug
}
