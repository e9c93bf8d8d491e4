"""Imports: what they bring, and what can be wrong with them."""

from __future__ import annotations

from checking import accepted, assert_reports, check, message


def test_a_module_brings_its_declarations() -> None:
    accepted(
        """
        import "shapes.pfl";
        import std.noise { truncated_geometric as geometric };
        const a = double(N) + size([square, round]);
        dist d(x: int) = geometric(1/2, x, 0, 2);
        """,
        {"shapes.pfl": "const N = 3; fn double(x: int): int = 2 * x; enum Shape { square, round }"},
    )


def test_a_list_brings_only_what_it_names() -> None:
    assert_reports(
        """
        import "shapes.pfl" { N as M };
        const a = M;
        const b = N;  //~ PFL0201
        const c = double(1);  //~ PFL0202
        """,
        {"shapes.pfl": "const N = 3; fn double(x: int): int = N * x;"},
    )


def test_an_enum_brings_its_values_under_any_name() -> None:
    accepted(
        """
        import "shapes.pfl" { Shape as Form };
        fn f(x: Form): bool = x == square;
        """,
        {"shapes.pfl": "enum Shape { square, round }"},
    )


def test_imports_are_not_passed_on() -> None:
    assert_reports(
        """
        import "middle.pfl";
        const a = middle;
        const b = deep;  //~ PFL0201
        """,
        {"middle.pfl": 'import "deep.pfl"; const middle = deep;', "deep.pfl": "const deep = 1;"},
    )


def test_paths_are_relative_to_the_importing_file() -> None:
    accepted(
        'import "lib/one.pfl"; const a = one;',
        {
            "lib/one.pfl": 'import "two.pfl"; import "../base.pfl"; const one = two + base;',
            "lib/two.pfl": "const two = 2;",
            "base.pfl": "const base = 0;",
        },
    )


def test_a_file_that_two_others_import_is_one_file() -> None:
    program = accepted(
        'import "left.pfl"; import "right.pfl"; import "common.pfl"; const ok = f(a);',
        {
            "left.pfl": 'import "./common.pfl"; const a = x;',
            "right.pfl": 'import "common.pfl"; fn f(e: E): bool = e == x;',
            "common.pfl": "enum E { x, y }",
        },
    )
    assert [module.file.name for module in program.modules] == ["common.pfl", "left.pfl", "right.pfl", "model.pfl"]


def test_missing_modules() -> None:
    assert_reports(
        """
        import std.nose;  //~ PFL0020
        import "nowhere.pfl";  //~ PFL0020
        const a = whatever;
        """
    )
    assert message("import std.nose;")[1] == "did you mean `import std.noise;`?"
    assert message('import "nowhere.pfl";')[0] == 'cannot read the imported file "nowhere.pfl"'


def test_a_circle_of_imports() -> None:
    _, found = check('import "a.pfl";', {"a.pfl": 'import "b.pfl";', "b.pfl": 'import "a.pfl";'})
    (only,) = found
    assert str(only.code) == "PFL0021"
    assert only.notes == ("`a.pfl` imports `b.pfl` imports `a.pfl`",)
    assert only.file_name == "b.pfl"


def test_a_file_that_imports_itself() -> None:
    assert message('import "model.pfl";')[0] == "`model.pfl` imports itself"


def test_names_that_are_not_there() -> None:
    found = assert_reports(
        'import "a.pfl" { on, two };  //~ PFL0022 PFL0022',
        {"a.pfl": "const one = 1;"},
    )
    assert found[0].help == "did you mean `one`?"
    assert found[1].help == "the declarations are `one`"


def test_clashes() -> None:
    files = {"a.pfl": "const x = 1; const y = 1;", "b.pfl": "const x = 2; const z = 1;"}
    assert_reports('import "a.pfl"; import "b.pfl";  //~ PFL0023', files)
    assert_reports('import "a.pfl"; const y = 3;  //~ PFL0023', files)
    assert_reports('import "a.pfl"; import "b.pfl" { x as w, z };', files)


def test_enum_values_that_two_modules_share_are_ambiguous_where_they_are_used() -> None:
    found = assert_reports(
        """
        import "sky.pfl";
        import "mood.pfl";
        const a = cloudy;
        const b = fair;  //~ PFL0208
        """,
        {"sky.pfl": "enum Sky { fair, cloudy }", "mood.pfl": "enum Mood { fair, foul }"},
    )
    assert found[0].message == "`fair` is a value of enum `Sky` and of enum `Mood`"


def test_an_error_in_an_imported_file_is_reported_there() -> None:
    assert_reports(
        'import "a.pfl"; const b = a;',
        {"a.pfl": "const a = 1 + true;  //~ PFL0302"},
    )


def test_claims_of_imported_files_are_not_judged() -> None:
    program = accepted('import "a.pfl"; const b = a;', {"a.pfl": "const a = 1; check nonsense nothing { what; }"})
    assert list(program.claims()) == []


def test_a_file_with_a_syntax_error_may_lack_names() -> None:
    _, found = check('import "a.pfl"; const b = f(a) + true;', {"a.pfl": "const a = ;"})
    assert [str(diagnostic.code)[:5] for diagnostic in found] == ["PFL01", "PFL03"]


def test_text_without_a_file_imports_from_the_current_folder() -> None:
    program, found = check('import "a.pfl"; const b = a;', {"a.pfl": "const a = 1;"}, name="<text>")
    assert program is not None
    assert not found


def test_a_name_of_a_module_and_a_module_in_quotes() -> None:
    assert message("import std.noise.truncated_geometric;")[1] == (
        "did you mean `import std.noise { truncated_geometric };`?"
    )
    assert message('import "std.noise";')[1] == "write `import std.noise;` without quotes"
