package io.despina.descriptor;

import java.util.Locale;

/** The rules that a graph or a deployment can break: the codes of errors and warnings. */
public enum Rule {
    SYNTAX("The file is not JSON (RFC 8259)."),
    DUPLICATE_KEY("An object has the same key twice."),
    NO_NULL("null stands nowhere in a graph: leave the field out."),
    FORMAT_VERSION("The file has a version of the format that this engine does not know."),
    UNKNOWN_FIELD("A field that is not declared here."),
    MISSING_FIELD("A field that must be written is missing."),
    WRONG_TYPE("A value of another JSON type than declared."),
    OUT_OF_RANGE("A number outside its limits, an array that is too short, or a text that is too long."),
    UNKNOWN_WORD("A word that is not among those that may stand here; operator types included."),
    BAD_NAME("An id or a name that does not look as it must."),
    PARAMETER("A parameter that is not declared, has no value, or is written wrongly."),
    SCHEMA("A schema that cannot be read, or that a packet cannot hold."),
    EXCLUSIVE("Fields that exclude or need one another."),
    PATH("A path where the engine cannot read or write, that two sinks have, or a sink and a source."),
    EXPRESSION("An expression that Spark refuses for a reason without a rule of its own here, in Spark's words."),
    EXPRESSION_SYNTAX("An expression that cannot be parsed."),
    UNKNOWN_FUNCTION("A function that Spark SQL does not have."),
    FORBIDDEN_FUNCTION("A function that a graph may not call: it runs code, or its value depends on where it is computed."),
    ARGUMENT_COUNT("A function with more or fewer arguments than it takes."),
    TYPE_MISMATCH("A function, an operator or a condition over values of another type than it takes."),
    AGGREGATE_FUNCTION("An aggregate where an expression is over one packet alone."),
    MISSING_AGGREGATE("A column beside aggregates that is neither aggregated nor in `group_by`."),
    NONDETERMINISTIC_KEY("A key that is another value each time it is worked out."),
    GENERATOR("A function that makes several rows of one."),
    WINDOW_FUNCTION("A window function (OVER)."),
    SUBQUERY("A query within an expression."),
    MISSING_ALIAS("An expression that needs a name for its column."),
    UNUSED_ALIAS("A name where nothing can use it; what an unfinished condition often reads as."),
    UNSUPPORTED_TYPE("A column of a type that a packet cannot hold."),
    UNSTABLE_LITERAL("A literal that is another value each time it is read."),
    DIVISION_BY_ZERO("A constant expression that divides by zero."),
    BAD_CAST("A constant that cannot be cast to that type."),
    OVERFLOW("A constant expression whose value does not fit its type."),
    NESTING("An expression, or a value of the graph, that nests deeper than the stack reaches."),
    UNKNOWN_OPERATOR("A link names an operator that the graph does not have."),
    UNKNOWN_PORT("A link names a port that the operator does not have."),
    UNKNOWN_PART("An operator uses a part that is not there, or whose file cannot be read."),
    PART_CYCLE("A part that uses itself, or that others use which it uses."),
    DUPLICATE_ID("Two operators of one id, of which one at least comes out of a part."),
    UNUSED("A part that nothing uses, or a parameter that its part does not use."),
    UNLINKED_PORT("A port without a link that needs one."),
    DUPLICATE_LINK("Two links from the same port to the same port."),
    CYCLE("Links lead round in a circle."),
    UNKNOWN_COLUMN("A column that the stream does not have."),
    DUPLICATE_COLUMN("Two columns whose names differ at most by case."),
    COLUMN_TYPE("A column of another type than is needed."),
    STREAMS_DIFFER("Streams that meet in a port have different columns."),
    EVENT_TIME("An operator needs event time that its stream does not have."),
    EVENT_TIME_SOURCE("An operator that is no source sets event time anew; it can only keep its input's, with another "
            + "`order_by`."),
    ORDER("An operator depends on the order of packets that event time alone does not settle."),
    INPUT("Rows from a program for an operator that cannot take them."),
    OUTPUT("An output that a program cannot read: the graph has no such sink, or its rows have no end."),
    STATE_TYPE("A state's `next` has another type than its `initial`."),
    AS_OF_KEYS("An as-of join's condition is not equalities joined by AND."),
    PARALLELISM("A parallelism that the operator cannot have."),
    PARTITION("A partition that the operator or its parallelism does not allow."),
    UNBOUNDED("What leaves at the end of the stream never leaves, or what is kept grows for ever: the stream has no end."),
    DEAD_LETTER("Port `errors` and `on_error` do not go together."),
    TIME_ZONE("A time zone that is not known."),
    NO_SPARK_FORM("What cannot run on Spark (with --for spark)."),
    CHANCE("A function that gives other values in each run."),
    NULL_COMPARISON("A comparison with NULL, which is never true."),
    LATE("Port `late` without a link: late packets are dropped and counted."),
    ELEMENT_TIME("Exploded elements have times of their own, and what follows goes by that of the packet that brought them."),
    SILENT("A source without an end whose silence holds back, for as long as it lasts, what waits for its watermark."),
    GUARANTEE("An operator that promises less of its rows than the settings demand."),
    PYTHON_FUNCTION("A Python function that is not there, or cannot be called with what comes."),
    SLOW_FORM("A Python function that takes its rows in a form that makes one row alone slow."),
    CLASS_NOT_ALLOWED("A user class that the deployment does not allow."),
    UNKNOWN_RESOURCE("A place names a resource that the deployment does not have."),
    NO_RESOURCE("A deployment without a resource.");

    private final String doc;

    Rule(String doc) {
        this.doc = doc;
    }

    /** @throws IllegalArgumentException if there is no rule of that code */
    public static Rule of(String code) {
        return valueOf(code.toUpperCase(Locale.ROOT));
    }

    /** The code in messages, for example {@code unknown_field}. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** One line. */
    public String doc() {
        return doc;
    }
}
