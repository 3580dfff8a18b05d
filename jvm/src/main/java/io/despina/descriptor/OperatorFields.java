package io.despina.descriptor;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.OPTIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import java.util.ArrayList;
import java.util.List;

/** The declaration of every operator type's fields; what all types share is added to each. */
final class OperatorFields {
    private static final Kind RATE = new Kind.Real(0, true);
    private static final Kind RATE_OR_ZERO = new Kind.Real(0, false);
    private static final int MIN_RELAY_PACKET = 17;
    private static final int MAX_RELAY_PACKET = 524_288;

    static final Kind ROWS = new Kind.Variant("rows", List.of(
            Section.of("select", "Rows of expressions.",
                    required("select", EXPRESSIONS, "`expr AS name` over the columns `id` (0, 1, 2 …) and `seed`.")),
            Section.of("packets", "Relay packets, for measuring: columns `sequence BIGINT, due TIMESTAMP, payload BINARY`.",
                    required("packet_bytes", new Kind.Whole(MIN_RELAY_PACKET, MAX_RELAY_PACKET),
                            "Size of one packet; 16 bytes of it are its sequence number and due time."),
                    or("content", words("random", "cut from a block of random bytes: does not compress",
                            "constant", "always the same bytes"), "\"random\"", "What the payload holds."))));

    static final Kind SHAPE = new Kind.Variant("shape", List.of(
            Section.of("constant", "Always `rate_per_s`."),
            Section.of("sine", "The rate swings between a low and a high one.",
                    required("period_ms", POSITIVE_MILLIS, "From one low to the next."),
                    required("low_per_s", RATE_OR_ZERO, "The lowest rate."),
                    required("high_per_s", RATE, "The highest rate.")),
            Section.of("step", "One rate after the other; the last one stays.",
                    required("steps", new Kind.ListOf(new Kind.Fields(Section.of("rate_step", "A rate, and how long it lasts.",
                            required("for_ms", POSITIVE_MILLIS, "How long."),
                            required("rate_per_s", RATE_OR_ZERO, "The rate."))), 1), "The steps."))));

    static final Kind REPLAY = new Kind.Variant("replay", List.of(
            Section.of("as_fast_as_possible", "Without waiting."),
            Section.of("event_time", "As far apart as the records' event times say.",
                    or("speed", RATE, "1", "2 is twice as fast as it happened."))));

    static final Kind READ_FORMAT = words("csv", "separated values, Spark's rules", "json", "one JSON object per line",
            "text", "one column per line: `value STRING`");
    static final Kind WRITE_FORMAT = words("csv", "separated values, as Spark writes them", "json",
            "one JSON object per line", "text", "one STRING column, one line each");

    static final Kind WINDOW = new Kind.Variant("window", List.of(
            Section.of("tumbling", "Windows of one size, each where the last one ends. A packet at a border is in the later one.",
                    required("size_ms", POSITIVE_MILLIS, "How long a window is."),
                    or("offset_ms", MILLIS, "0", "Moves the borders. Without it they are multiples of the size since "
                            + "1970-01-01T00:00Z.")),
            Section.of("sliding", "Windows of one size that overlap: a new one begins with each slide. A packet is in all that "
                    + "reach over it.",
                    required("size_ms", POSITIVE_MILLIS, "How long a window is."),
                    required("slide_ms", POSITIVE_MILLIS, "From one start to the next; at most the size."),
                    or("offset_ms", MILLIS, "0", "Moves the borders.")),
            Section.of("trailing", "For each packet a row, over the packets of its group from `size_ms` before it up to its own "
                    + "time, both included. `select` may mix the packet's columns with aggregates.",
                    required("size_ms", MILLIS, "How long a window is."))));

    static final Kind STATE = new Kind.MapOf(CommonFields.NAME, "state name", new Kind.Fields(Section.of("state",
            "A value that is kept for each group. The values of a group together are at most `max_packet_bytes` long.",
            required("initial", EXPRESSION, "Its value before the first packet of the group. It may use the columns of that "
                    + "packet."),
            required("next", EXPRESSION, "Its value after a packet, of the same type. The name of a state is its value before "
                    + "the packet."))));

    static final Kind AS_OF = new Kind.Fields(Section.of("as_of",
            "The latest right packet, in event order, that is not after the left one. It may be used again.",
            optional("max_age_ms", MILLIS, "any age", "A right packet that is older than this does not match."),
            or("strict", FLAG, "false", "true: the right packet must be earlier than the left one.")));

    static final Kind BETWEEN = new Kind.Fields(Section.of("between_ms", "How much later than the left packet the right one may "
            + "be; a negative number means earlier. Both ends are included.",
            required("from", new Kind.Whole(Long.MIN_VALUE / 1000, Long.MAX_VALUE / 1000), "The least."),
            required("to", new Kind.Whole(Long.MIN_VALUE / 1000, Long.MAX_VALUE / 1000), "The greatest.")));

    static final Kind GROUP_BY = EXPRESSIONS;

    private static final FieldSpec ASSIGNED = optional("event_time", CommonFields.EVENT_TIME, "none",
            "Of sources: which column is the event time of the stream at `out`.");
    private static final FieldSpec KEPT = optional("event_time", CommonFields.EVENT_TIME, "the input's, where its column "
            + "survives",
            "Of all others that have a port `out`: the input's, perhaps with another `order_by`. Only sources set it anew.");
    private static final FieldSpec ACCEPT = optional("accept", CommonFields.ACCEPT, "none",
            "Warnings about this operator that its author accepts: `check` does not give them. What `--for spark` makes an error stays an error.");
    private static final FieldSpec PARALLELISM = or("parallelism", CommonFields.instances(), "1",
            "How many instances of it run. Packets are shared out among them as the link's `partition` says.");
    private static final FieldSpec ON_ERROR = or("on_error", CommonFields.ON_ERROR, "{\"type\": \"fail\"}",
            "What becomes of a bad record.");
    private static final FieldSpec SCHEDULE = or("schedule", CommonFields.SCHEDULE, "{\"type\": \"data\"}",
            "Of all but sources: when it runs.");

    /** What operators of all types have, or of most; each is in the reference once. */
    static final List<FieldSpec> SHARED = List.of(CommonFields.DOC_FIELD, ASSIGNED, KEPT, ACCEPT, PARALLELISM, ON_ERROR,
            SCHEDULE);

    /** In the order of {@link OperatorType}. */
    static final List<Section> ALL = List.of(
            type(OperatorType.GENERATOR_SOURCE, "Makes packets: rows of expressions, or packets for measuring.",
                    required("rows", ROWS, "What it makes."),
                    or("seed", new Kind.Whole(Long.MIN_VALUE, Long.MAX_VALUE), "1", "The value of column `seed`, and where "
                            + "random payloads begin."),
                    optional("count", new Kind.Whole(0, Long.MAX_VALUE), "without end", "How many packets all instances make "
                            + "together."),
                    optional("rate_per_s", RATE, "as fast as it can", "How many packets all instances make together in a "
                            + "second."),
                    or("shape", SHAPE, "{\"type\": \"constant\"}", "How the rate changes with time.")),
            type(OperatorType.FILE_SOURCE, "Reads files. Each instance reads its share of them. With `event_time` it "
                            + "merges its files by event time, so that no file makes the packets of another one late; "
                            + "without, it reads them in the order of their paths. It opens as many files at once as "
                            + "overlap in time: the process's limit on open files must allow that. Open files take 16 MB "
                            + "of an instance's memory, and 8 KB more for each file beyond some 200.",
                    required("path", TEXT, "A file, a folder, a glob, or a `file:` URI of one (only in a URI does `%20` "
                            + "mean a space). `-` is the standard input of `despina run`: once in a graph, without a "
                            + "deployment; the source ends where it ends. The engine unpacks .gz. Another packed file "
                            + "(.bz2, .zst, .lz4, .snappy, .deflate, .xz, .zip) fails the job on the engine, and so does a "
                            + "pipe, a device or a socket; in a folder or a glob, pipes, devices and sockets are passed "
                            + "over. `/dev/stdin`, `/dev/fd` and the like are refused, since the engine's own would be "
                            + "read."),
                    required("format", READ_FORMAT, "How records are written."),
                    optional("options", OPTIONS, "none", "Spark's options for the format, under Spark's names. A record is "
                            + "one line: `multiLine`, `wholetext` and the encodings UTF-16 and UTF-32 are refused. So are "
                            + "flags that are neither true nor false, and options that the format does not have. Any other "
                            + "value that Spark refuses fails the job. With `header`, the first line of each csv file must "
                            + "have the schema's names in the schema's order, in upper or lower case; if not, the job "
                            + "fails. `columns_by` finds columns by their names; `\"enforceSchema\": \"true\"` takes them "
                            + "by their place alone. `mode` and `columnNameOfCorruptRecord` have no effect: use "
                            + "`on_error`. Each element of a json array is a record; if one element is bad, all are."),
                    optional("schema", new Kind.Ddl(), "`value STRING`, for text only", "The columns, as Spark DDL. If "
                            + "only `project` operators could read a csv column and none does, the source does not parse "
                            + "it, and finds no mistake in it; under `on_error` `fail` only."),
                    or("columns_by", words("place", "are a line's first ones, in order", "name", "are where the header of their "
                            + "file has their names, in any order, in upper or lower case"), "\"place\"",
                            "Where in a csv line the schema's columns are. `name` needs the option `header`; files may "
                            + "have different headers. Columns that the schema does not name are left out. A name that a "
                            + "header lacks or has twice fails the job. A line with more or fewer columns than its header "
                            + "is a bad record."),
                    optional("columns", new Kind.Whole(1, 100_000), "the schema's count, or more under `ignore`",
                            "How many columns every csv line must have; another number makes a bad record."),
                    or("extra_columns", words("error", "are a bad record", "ignore", "are left out"), "\"error\"",
                            "What the columns of a csv line beyond the schema's are. Fields of a json record beyond the schema "
                            + "are always left out, as Spark does."),
                    or("follow", FLAG, "false", "true: the source goes on reading as files grow, each in turn; a .gz is "
                            + "read once. On Linux it reads a line in a file of this machine as soon as the line is "
                            + "written, elsewhere within 50 ms. It looks for new files when the folder changes, and twice "
                            + "a second; it reads them from their beginning. It knows a file by its inode. A file that is "
                            + "renamed to a name that the path matches is followed on, and not read again. If another file "
                            + "takes its name, the source reads the old one to its end, and begins the new one when that "
                            + "has bytes; it tells of both on standard error. A copy is a new file, and so is a packed "
                            + "one: the path must not match the names that a rotation copies or packs to. With "
                            + "`parallelism` above 1 it must not match the names that a rotation renames to, either."),
                    or("on_truncate", words("fail", "the job fails", "restart", "the source reads it again from its "
                            + "beginning, and says so on standard error"), "\"fail\"",
                            "What to do when a followed file is cut short or written again. The source notices it when the "
                            + "file is shorter than what it has read, or when the last 256 bytes that it read are no "
                            + "longer there."),
                    or("replay", REPLAY, "{\"type\": \"as_fast_as_possible\"}", "At what pace records leave."),
                    or("preload", FLAG, "false", "true: all records are read into memory before the first one leaves."),
                    or("repeat", new Kind.Whole(0, Long.MAX_VALUE), "1", "How often the files are read; 0 without end.")),
            type(OperatorType.FILE_SINK, "Writes files, always whole lines, bytes as Spark would write them.",
                    required("path", TEXT, "A folder, or its `file:` URI; a file if `single_file`. `-` is the standard "
                            + "output of `despina run`: once in a graph, without a deployment. Rows are then written as "
                            + "they come, a slow reader slows the job, and everything else that the command says goes to "
                            + "standard error. A pipe, a device or a socket fails the job on the engine. The path must not "
                            + "be, contain or lie in what a `file_source` of the graph reads, nor match its glob."),
                    required("format", WRITE_FORMAT, "How records are written."),
                    optional("options", OPTIONS, "none", "Spark's options for the format, under Spark's names. "
                            + "`compression` other than none is refused, and so are flags that are neither true nor false, "
                            + "and options that the format does not have."),
                    or("single_file", FLAG, "false", "true: `path` is the one file; needs parallelism 1."),
                    or("if_exists", words("error", "the job fails before it writes", "replace", "the first output of this job "
                            + "replaces it, and what earlier jobs left uncommitted; a job that fails before that leaves "
                            + "everything as it was"),
                            "\"error\"", "What to do if there is output already."),
                    optional("roll_every_ms", MILLIS, "60000 where the input has no end, else 0", 
                            "On the engine: the sink shows its rows, as a file of their own or at the end of the single "
                            + "file, when the first of them is this old. What it has shown stays, however the job ends. 0: "
                            + "it shows them when the job has ended well or was stopped."),
                    optional("roll_bytes", new Kind.Whole(0, Long.MAX_VALUE), "0", "The sink also shows its rows when they "
                            + "have this many bytes; 0: any number.")),
            type(OperatorType.COLLECT_SINK, "Hands the packets to Python: `job.rows()`, `job.batches()`."),
            type(OperatorType.CONSOLE_SINK, "Prints the first 10,000 packets of each instance, and counts the others. It "
                            + "cuts values to 40 characters. On Spark it prints the first 1000, with whole values."),
            type(OperatorType.DISCARD_SINK, "Counts packets and drops them.",
                    or("verify", words("none", "nothing", "sampled", "relay packets' sequence, and every 16th payload",
                            "all", "relay packets' sequence and payload"), "\"none\"", "What is verified first. Where several "
                            + "instances shared packets out on their way, nothing is known of their sequence. What is verified "
                            + "is also "
                            + "timed packet by packet, by each one's `due`: the report's `packet_latency_ms`.")),
            type(OperatorType.RELAY, "Passes packets on as they are. Its fields slow it down, for experiments.",
                    or("sleep_ms", RATE_OR_ZERO, "0", "How long it sleeps for each packet."),
                    or("work_us", RATE_OR_ZERO, "0", "How long it is busy for each packet."),
                    optional("steps", new Kind.ListOf(new Kind.Fields(Section.of("sleep_step", "A sleep for each packet, and "
                            + "how long that lasts.",
                            required("for_ms", POSITIVE_MILLIS, "How long."),
                            required("sleep_ms", RATE_OR_ZERO, "The sleep."))), 1), "none",
                            "Sleeps that change with time, in place of `sleep_ms`; the last one stays.")),
            type(OperatorType.PROJECT, "Makes a row of expressions from each packet.",
                    required("select", EXPRESSIONS, "`expr AS name`, a column, or `*`.")),
            type(OperatorType.FILTER, "Packets for which a condition is true leave by `out`, the others by `rejected`.",
                    required("where", EXPRESSION, "The condition; NULL counts as false.")),
            type(OperatorType.EXPLODE, "Makes a packet for each element of an array: the columns of the packet, then the "
                    + "element. An "
                    + "empty array and NULL give none.",
                    required("of", EXPRESSION, "The array."),
                    required("as", TEXT, "What the column of the element is called.")),
            type(OperatorType.UNION, "Makes one stream of several that have the same columns; link all of them to `in`. Their "
                    + "packets "
                    + "mix in no order."),
            type(OperatorType.SCAN, "Keeps state for each group and updates it with each packet, in event order. In `next`, "
                    + "`emit_when` "
                    + "and `select`, the name of a state is its value before this packet. In `emit_when` and `select`, "
                    + "`next.name` is its value after it.",
                    optional("group_by", GROUP_BY, "one group", "What makes a group: packets for which these have the same "
                            + "values. Without it, one instance "
                            + "does all, and on Spark one partition."),
                    required("state", STATE, "What is kept. All `next` are computed together, from the values before."),
                    or("emit_when", EXPRESSION, "\"true\"", "Whether this packet gives a row."),
                    required("select", EXPRESSIONS, "The row: `expr AS name`, a column, a state, or `*` for the packet's "
                            + "columns."),
                    or("emit_at_end", FLAG, "false", "true: when the input ends, each group gives one more row, in the order in "
                            + "which the "
                            + "groups came. In it, `name` and `next.name` both are the final state, the columns are those of "
                            + "the last "
                            + "packet of the group, and `emit_when` is not asked. The stream at `out` then has no event time. A "
                            + "job "
                            + "that is stopped gives no such rows.")),
            type(OperatorType.AGGREGATE, "Aggregates packets over windows, or over the whole stream.",
                    optional("group_by", GROUP_BY, "one group", "What makes a group: packets for which these have the same "
                            + "values. `expr AS name` gives a key a "
                            + "name. Without it, one instance does all."),
                    optional("window", WINDOW, "the whole stream", "Over which packets of the group."),
                    optional("emit", words("final", "a row for each group when the stream ends", "each",
                            "a row for each packet, in event order, over all up to it"), "`final`",
                            "When rows leave. Only where there is no `window`."),
                    required("select", EXPRESSIONS, "The row: aggregates of Spark, the keys, and of a tumbling or sliding "
                            + "window `window.start`, "
                            + "`window.end` and `window_time`. That is the end less 1 µs, and the event time of the stream at "
                            + "`out`.")),
            type(OperatorType.JOIN, "Pairs packets of two streams by event time. It has either `as_of` or `between_ms`.",
                    or("how", words("inner", "pairs only", "left", "also left packets without a match, with NULL for the right "
                            + "side"), "\"inner\"",
                            "Which rows leave."),
                    optional("on", EXPRESSION, "every pair", "What a pair must meet besides the time: a condition over `left.x` "
                            + "and `right.x`. With `as_of`, "
                            + "equalities joined by AND."),
                    optional("as_of", AS_OF, "not an as-of join", "Each left packet meets one right packet: the latest at its "
                            + "time."),
                    optional("between_ms", BETWEEN, "not an interval join", "Each left packet meets all right packets that are "
                            + "so far from it in time."),
                    optional("select", EXPRESSIONS, "all columns of both", "The row. It is required where both sides have a "
                            + "column of one name.")));

    private OperatorFields() {
    }

    private static Section type(OperatorType type, String doc, FieldSpec... own) {
        List<FieldSpec> fields = new ArrayList<>();
        fields.add(CommonFields.DOC_FIELD);
        fields.addAll(List.of(own));
        if (type.outputs().contains("out")) {
            fields.add(type.isSource() ? ASSIGNED : KEPT);
        }
        fields.add(ACCEPT);
        fields.add(PARALLELISM);
        fields.add(ON_ERROR);
        if (!type.isSource()) {
            fields.add(SCHEDULE);
        }
        return new Section(type.word(), doc, fields);
    }
}
