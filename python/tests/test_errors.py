from despina.errors import Diagnostic, GraphError, JobError, Place, RefusedError, StartError


def test_diagnostic_has_the_form_of_the_format_page() -> None:
    found = Diagnostic("unknown_column", "no column `mf1`", hint="did you mean `mf01`?", place=Place("a.json", 3, 7),
                       pointer="/operators/x/select/0", operator="x")
    assert str(found) == ("a.json:3:7: error[unknown_column]: no column `mf1` (at /operators/x/select/0, operator x)\n"
                          "  hint: did you mean `mf01`?")


def test_diagnostic_without_a_place_or_pointer_leaves_them_out() -> None:
    assert str(Diagnostic("json", "empty")) == "graph: error[json]: empty"
    assert str(Diagnostic("json", "empty", "warning", place=Place("g", 2))) == "g:2: warning[json]: empty"


def test_diagnostic_reads_back_what_it_writes() -> None:
    found = Diagnostic("r", "m", "warning", "h", Place("f", 1, 2), "/p", "o")
    assert Diagnostic.from_dict(found.as_dict()) == found
    assert Diagnostic.from_dict({"rule": "r"}) == Diagnostic("r", "")


def test_graph_error_tells_errors_first_and_stands_for_the_first_of_them() -> None:
    warning, error = Diagnostic("w", "odd", "warning"), Diagnostic("e", "wrong", place=Place("f", 4, 1))
    raised = GraphError([warning, error])
    assert (raised.rule, raised.message, raised.place) == ("e", "wrong", Place("f", 4, 1))
    assert str(raised) == "f:4:1: error[e]: wrong\ngraph: warning[w]: odd"
    assert raised.as_dicts() == [warning.as_dict(), error.as_dict()]


def test_a_plain_error_prints_rule_place_and_hint() -> None:
    assert str(StartError("java_missing", "no Java", "install one")) == "error[java_missing]: no Java\n  hint: install one"
    assert str(RefusedError("file_missing", "no file", place=Place("x"))) == "x: error[file_missing]: no file"


def test_exit_codes_are_the_format_pages() -> None:
    assert [kind.exit_code for kind in (JobError, RefusedError, GraphError, StartError)] == [1, 2, 2, 3]
