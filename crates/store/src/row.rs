//! A row of a table as a struct: the columns are the fields.

/// Makes the struct, what reads and writes it, and, where a second name is given, the patch with every field optional.
/// The fields before `;` are the key: no patch names them.
macro_rules! row {
    (
        $(#[$meta:meta])*
        pub struct $name:ident in $table:literal {
            $($(#[$key_meta:meta])* pub $key:ident: $key_type:ty,)*
            ;
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            $($(#[$key_meta])* pub $key: $key_type,)*
            $($(#[$field_meta])* pub $field: $type,)*
        }

        #[allow(dead_code, reason = "not every table needs every statement")]
        impl $name {
            pub(crate) const COLUMNS: &'static [&'static str] =
                &[$(concat!("\"", stringify!($key), "\""),)* $(concat!("\"", stringify!($field), "\""),)*];
            const KEYS: usize = [$(stringify!($key),)*].len();

            /// `SELECT` of every column, `rest` being what follows the table.
            pub(crate) fn select(rest: &str) -> String {
                format!("SELECT {} FROM {} {rest}", Self::COLUMNS.join(", "), $table)
            }

            pub(crate) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                let mut column = 0..;
                let mut next = || column.next().unwrap_or_default();
                Ok(Self {
                    $($key: row.get(next())?,)*
                    $($field: row.get(next())?,)*
                })
            }

            fn values(&self) -> Vec<&dyn rusqlite::ToSql> {
                vec![$(&self.$key,)* $(&self.$field,)*]
            }

            fn write(&self, connection: &rusqlite::Connection, verb: &str) -> rusqlite::Result<usize> {
                let places: Vec<String> = (1..=Self::COLUMNS.len()).map(|number| format!("?{number}")).collect();
                let sql = format!(
                    "{verb} INTO {} ({}) VALUES ({})",
                    $table,
                    Self::COLUMNS.join(", "),
                    places.join(", ")
                );
                connection.prepare_cached(&sql)?.execute(self.values().as_slice())
            }

            pub(crate) fn insert(&self, connection: &rusqlite::Connection) -> rusqlite::Result<usize> {
                self.write(connection, "INSERT")
            }

            pub(crate) fn insert_or_ignore(&self, connection: &rusqlite::Connection) -> rusqlite::Result<usize> {
                self.write(connection, "INSERT OR IGNORE")
            }

            pub(crate) fn insert_or_replace(&self, connection: &rusqlite::Connection) -> rusqlite::Result<usize> {
                self.write(connection, "INSERT OR REPLACE")
            }

            /// Writes every field of the row that has this key.
            pub(crate) fn update(&self, connection: &rusqlite::Connection) -> rusqlite::Result<usize> {
                let pair = |(position, name): (usize, &&str)| format!("{name} = ?{}", position + 1);
                let pairs: Vec<String> = Self::COLUMNS.iter().enumerate().map(pair).collect();
                let (keys, fields) = pairs.split_at(Self::KEYS.min(pairs.len()));
                let sql = format!("UPDATE {} SET {} WHERE {}", $table, fields.join(", "), keys.join(" AND "));
                connection.prepare_cached(&sql)?.execute(self.values().as_slice())
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident / $patch:ident in $table:literal {
            $($(#[$key_meta:meta])* pub $key:ident: $key_type:ty,)*
            ;
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)*
        }
    ) => {
        $crate::row::row! {
            $(#[$meta])*
            pub struct $name in $table {
                $($(#[$key_meta])* pub $key: $key_type,)*
                ;
                $($(#[$field_meta])* pub $field: $type,)*
            }
        }

        /// What shall change of it; what is `None` stays as it is.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $patch {
            $(pub $field: Option<$type>,)*
        }

        impl $patch {
            pub(crate) fn apply(&self, row: &mut $name) {
                $(if let Some(value) = &self.$field {
                    row.$field = value.clone();
                })*
            }
        }
    };
}

pub(crate) use row;
