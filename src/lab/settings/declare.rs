//! The declaration itself.

/// A `struct` of settings with what is made of them: JSON that refuses what it does not know and gives what is missing its default,
/// a [`Key`](super::Key) for each in `KEYS`, and [`Declared`](super::Declared). Groups that several analyses have come first.
///
/// ```ignore
/// settings! {
///     /// What to measure.
///     #[schemars(rename = "RedundancyConfig")]
///     pub struct Config("redundancy") with texts: Texts, quantizer: Rounding {
///         /// Where none is an outlier layer, so many layers of the largest κ are left out instead.
///         top: usize = 3, whole("Layers to leave out where no layer is an outlier layer", 1, 64);
///         /// Kept at a place that other analyses name too.
///         threshold: f64 = OUTLIER, threshold(), at "threshold";
///     }
/// }
/// ```
macro_rules! settings {
    (
        $(#[$attr:meta])*
        pub struct $Config:ident($owner:literal) $(with $($group:ident: $Group:ty),+)? {
            $(
                $(#[$field:meta])*
                $name:ident: $Type:ty = $default:expr, $how:expr $(, at $place:literal)?;
            )*
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        $(#[$attr])*
        pub struct $Config {
            $($(
                #[doc = concat!("See [`", stringify!($Group), "`].")]
                pub $group: $Group,
            )+)?
            $($(#[$field])* pub $name: $Type,)*
        }

        impl Default for $Config {
            fn default() -> $Config {
                $Config { $($($group: Default::default(),)+)? $($name: $default,)* }
            }
        }

        impl $crate::lab::settings::Declared for $Config {
            fn settings() -> Vec<$crate::lab::settings::Setting> {
                vec![
                    $($($crate::lab::settings::group::<$Group>(stringify!($group)),)+)?
                    $($how.standing(
                        stringify!($name),
                        $crate::lab::settings::settings!(@place $owner $name $($place)?),
                    ),)*
                ]
            }
        }

        const _: () = {
            /// The place of each setting.
            #[derive(Debug)]
            pub struct Keys {
                $($(#[$field])* pub $name: $crate::lab::settings::Key<$Type>,)*
            }

            impl $Config {
                /// The place of each setting that is not of a group.
                pub const KEYS: Keys = Keys {
                    $($name: $crate::lab::settings::Key::at(
                        $crate::lab::settings::settings!(@place $owner $name $($place)?),
                    ),)*
                };
            }
        };
    };
    (@place $owner:literal $name:ident) => { concat!($owner, ".", stringify!($name)) };
    (@place $owner:literal $name:ident $place:literal) => { $place };
}

pub(crate) use settings;
