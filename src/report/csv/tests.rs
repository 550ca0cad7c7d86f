use proptest::prelude::*;

use super::*;

fn refused(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

fn numbers(data: &Data, at: usize) -> Vec<Option<f64>> {
    data.numbers().nth(at).unwrap().1.to_vec()
}

#[test]
fn what_cannot_be_read_is_a_sentence_with_its_row() {
    assert_eq!(refused(""), "there is no data: row 1 should name the columns");
    assert_eq!(refused("a,b\n1,2\n"), "row 2 is the last, after 1 row of data; a correlation needs at least 3 rows");
    assert_eq!(refused("a,b\n"), "row 1 is the last, after 0 rows of data; a correlation needs at least 3 rows");
    assert_eq!(refused("1,2\n3,4\n5,6\n7,8"), "row 1 holds nothing but numbers; it should name the columns");
    assert_eq!(refused("a,b\n1,2\n3\n5,6\n"), "row 3 has 1 cell, and row 1 names 2 columns");
    assert_eq!(
        refused("a,b\n1,2\n3,x y\n5,6\n7,8"),
        "row 3, column “b”: “x y” is not a number, and most of this column is"
    );
    assert_eq!(refused("a,b\n1,2\n\"3,4\n5,6\n"), "row 3 begins a quoted cell that has no end");
    assert_eq!(refused("a,b\n1,\"2\"x\n3,4\n"), "row 2 has letters between a closing quote and the next separator");
    assert_eq!(refused("a,a\n1,2\n3,4\n5,6"), "row 1 names two columns “a”");
    assert_eq!(refused("a,\n1,2\n3,4\n5,6"), "row 1 does not name column 2");
    let latin = read(b"a,b\n1,2\n3,\xe9\n5,6\n").unwrap_err();
    assert_eq!(latin.to_string(), "row 3 is not UTF-8 text; save the file as UTF-8");
    let rows = format!("a\n{}", "1\n".repeat(MOST_ROWS + 1));
    assert_eq!(refused(&rows), "row 5002 is one too many: 5000 rows are read at most");
    let columns: Vec<String> = (0..=MOST_COLUMNS).map(|at| format!("c{at}")).collect();
    assert_eq!(refused(&columns.join(";")), "row 1 names 65 columns; 64 are read at most");
    let large = refused(&format!("a,b\n{}", "1,2\n".repeat(10 << 18)));
    assert_eq!(large, "the data has 10485764 bytes, and 4194304 are read at most: they end in row 1048577");
}

/// Law: where the sentence does not say what the data should be, a step does.
#[test]
fn what_cannot_be_read_says_what_to_do() {
    let columns: Vec<String> = (0..=MOST_COLUMNS).map(|at| format!("c{at}")).collect();
    let long = "a".repeat(MOST_LETTERS + 1);
    for text in [
        "",
        "a,b\n1,2\n",
        "1,2\n3,4\n5,6\n7,8",
        "a,b\n1,2\n3\n5,6\n",
        "a,b\n1,2\n3,x y\n5,6\n7,8",
        "a,b\n1,2\n\"3,4\n5,6\n",
        "a,b\n1,\"2\"x\n3,4\n",
        "a,a\n1,2\n3,4\n5,6",
        "a,\n1,2\n3,4\n5,6",
        &format!("{long}\n1\n2\n3"),
        &format!("a\n{}", "1\n".repeat(MOST_ROWS + 1)),
        &columns.join(";"),
    ] {
        let fault = read(text.as_bytes()).unwrap_err();
        let itself = ["should", "needs"].iter().any(|word| fault.to_string().contains(word));
        let step = fault.what_to_do();
        assert!(if step.is_empty() { itself } else { step.ends_with('.') }, "{fault}. {step}");
    }
}

#[test]
fn every_usual_way_of_writing_is_read_alike() {
    let expected = [Some(1.5), Some(-2.0), None, Some(1e-3)];
    for text in [
        "x,name\n1.5,a\n-2,b\n,c\n0.001,d\n",
        "\u{feff}x,name\r\n1.5,a\r\n\u{2212}2,b\r\nNA,c\r\n1e-3,d\r\n",
        "x;name\n1,5;a\n-2;b\n–;c\n0,001;d",
        "x\tname\r1.5\ta\r-2\tb\rnan\tc\r+0.001\td\r",
        "\"x\", \"name\"\n\"1.5\",a\n -2 ,b\n,c\n\n0.001,\"d\"\n,\n",
    ] {
        let data = read(text.as_bytes()).unwrap_or_else(|fault| panic!("{text:?}: {fault}"));
        assert_eq!(numbers(&data, 0), expected, "{text:?}");
        assert_eq!(data.labels(), ["a", "b", "c", "d"], "{text:?}");
    }
    // A point somewhere makes commas words: nothing is guessed.
    assert!(refused("x;y\n1,5;1\n2.5;2\n3.5;3\n").contains("row 2, column “x”: “1,5”"));
    assert!(refused("x\n1e999\n2\n3\n").contains("“1e999” is not a number"));
}

#[test]
fn notes_name_their_rows() {
    let data = read(b"x,y\n1,2\n,2\n3,2\n4,2\n").unwrap();
    let notes = data.notes();
    assert_eq!(notes[0], "Row 3 has no figure in “x” and is left out where it is used.");
    assert_eq!(notes[1], "“y” is 2.00 in every row from 2 to 5: what does not vary has no correlation.");
    let many = read(b"x,y\n1,2\n,1\n,3\n,4\n,5\n3,2\n").unwrap().notes();
    assert_eq!(many, ["Rows 3, 4, 5 and 1 more have no figure in “x” and are left out where it is used."]);
}

fn any_data() -> impl Strategy<Value = Data> {
    let word = "[a-zé ,;\"\n\t]{0,6}w[a-z ,;\"]{0,4}";
    let number = prop::option::of(any::<f64>().prop_filter("finite", |x| x.is_finite()));
    (3usize..12, 1usize..5)
        .prop_flat_map(move |(rows, columns)| {
            let numbers = prop::collection::vec(number.clone(), rows).prop_map(Cells::Numbers);
            let words = prop::collection::vec(prop::option::of(word), rows).prop_map(Cells::Words);
            let first =
                prop::collection::vec(any::<i32>().prop_map(|x| Some(f64::from(x))), rows).prop_map(Cells::Numbers);
            let rest = prop::collection::vec(prop_oneof![numbers, words], columns - 1);
            (first, rest).prop_map(move |(first, rest)| {
                let named = |(at, cells): (usize, Cells)| Column { name: format!("column, \"{at}\""), cells };
                let columns = [first].into_iter().chain(rest).enumerate().map(named).collect();
                Data { columns, rows: Vec::new() }
            })
        })
        .prop_filter("a column with nothing in it has no kind", |data| {
            let known = |column: &Column| match &column.cells {
                Cells::Numbers(numbers) => numbers.iter().flatten().count() > 0,
                Cells::Words(words) => words.iter().flatten().count() > 0,
            };
            data.columns.iter().all(known)
        })
}

/// The number of lines before each row, which quoted line ends do not change.
fn numbered(data: Data) -> Data {
    let rows = match &data.columns[0].cells {
        Cells::Numbers(numbers) => numbers.len(),
        Cells::Words(words) => words.len(),
    };
    Data { rows: (2..2 + rows).collect(), ..data }
}

proptest! {
    /// What is written reads back as it was, to the last bit.
    #[test]
    fn what_is_written_is_read(data in any_data()) {
        let data = numbered(data);
        prop_assert_eq!(read(data.write().as_bytes()), Ok(data));
    }

    /// Whatever comes, it is read or refused with a sentence in one line.
    #[test]
    fn any_bytes_are_data_or_a_sentence(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[a-c0-9,;\"\t\r\n. -]{0,80}") {
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            if let Err(fault) = read(bytes) {
                let said = fault.to_string();
                prop_assert!(said.len() > 10 && !said.contains(char::is_control), "{:?}", said);
            }
        }
    }
}
