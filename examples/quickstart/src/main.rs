use sqlthrottle::{Engine, LoadError};

fn main() -> Result<(), LoadError> {
    let engine = Engine::open("sqlthrottle.yml")?;

    for product in 1..=12 {
        let sql = format!("SELECT * FROM reviews WHERE product_id = {product} ORDER BY created_at DESC LIMIT 20");
        let decision = engine.check(&sql);
        if decision.is_allowed() {
            // Here the statement goes to the database.
            continue;
        }
        let rule = decision.rule.as_ref().map_or("", |rule| rule.as_str());
        println!("{} {}: {} of {} [{rule}]", decision.verdict, decision.reason, decision.count, decision.limit);
    }
    Ok(())
}
