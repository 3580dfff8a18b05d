package io.despina.descriptor;

import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * The declaration of an operator type, for parser, checker, JSON schema and reference. Ports are in the order of their
 * numbers; the last output of every type is {@code errors}, the dead letters.
 *
 * @param word    as in the file, for example {@code file_source}
 * @param family  whose page of the reference has it
 * @param doc     one line or a few
 * @param fields  its own fields; fields of all types are in {@link #SHARED}
 * @param example an entry of a graph's {@code operators}, for the reference, over streams with the columns
 *                {@link Reference#COLUMNS}
 * @param more    the ports that an operator has besides because of its fields
 */
public record OperatorType(String word, Family family, String doc, List<String> inputs, List<String> outputs,
        List<FieldSpec> fields, String example, FurtherPorts more) {
    private static final String OUT = "out";
    private static final String ERRORS = "errors";
    private static final String LATE = "late";
    private static final FieldSpec ASSIGNED = optional("event_time", CommonFields.EVENT_TIME, "none",
            "For a source: the column that is the event time of the stream at `out`.");
    private static final FieldSpec KEPT = optional("event_time", CommonFields.EVENT_TIME, "the input's, where its column "
            + "survives",
            "For all other operators but sinks: the input's event time, perhaps with another `order_by`. Only a "
                    + "source can name another column.");
    private static final FieldSpec ACCEPT = optional("accept", CommonFields.ACCEPT, "none",
            "Warnings about this operator that its author accepts: `check` does not give them. What `--for spark` makes an "
            + "error stays an error.");
    private static final FieldSpec PARALLELISM = or("parallelism", CommonFields.instances(), "1",
            "How many instances of it run. Packets are shared out among them as the link's `partition` says.");
    private static final FieldSpec MOST_INSTANCES = optional("most_instances", CommonFields.instances(), "`parallelism`",
            "For all operators but sources: how many instances of it there are. `parallelism` of them take packets at the start; "
            + "the others wait for buckets of keys that move to them, see docs/control.md.");
    private static final FieldSpec ON_ERROR = or("on_error", CommonFields.ON_ERROR, "{\"type\": \"fail\"}",
            "What becomes of a bad record.");
    private static final FieldSpec SCHEDULE = or("schedule", CommonFields.SCHEDULE, "{\"type\": \"data\"}",
            "For all operators but sources: when they run.");

    /** Fields of all operator types, or of most; each is in the reference once. */
    static final List<FieldSpec> SHARED = List.of(CommonFields.DOC_FIELD, ASSIGNED, KEPT, ACCEPT, PARALLELISM,
            MOST_INSTANCES, ON_ERROR, SCHEDULE);

    public OperatorType {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        fields = List.copyOf(fields);
    }

    public OperatorType(String word, Family family, String doc, List<String> inputs, List<String> outputs,
            List<FieldSpec> fields, String example) {
        this(word, family, doc, inputs, outputs, fields, example, FurtherPorts.NONE);
    }

    /** The same type with output ports that its field {@code named} declares. */
    public OperatorType withPortsOf(String named) {
        return with(new FurtherPorts(named, more.input(), more.inputsOf()));
    }

    /** The same type, of which some operators have a further input port. */
    public OperatorType withInput(FurtherInput another) {
        return with(new FurtherPorts(more.outputsOf(), another, more.inputsOf()));
    }

    /** The same type with input ports that its field {@code named} declares. */
    public OperatorType withInputsOf(String named) {
        return with(new FurtherPorts(more.outputsOf(), more.input(), named));
    }

    private OperatorType with(FurtherPorts others) {
        return new OperatorType(word, family, doc, inputs, outputs, fields, example, others);
    }

    /** As {@link FurtherPorts#outputsOf}. */
    public String portsOf() {
        return more.outputsOf();
    }

    /** As {@link FurtherPorts#input}. */
    public FurtherInput further() {
        return more.input();
    }

    /** As {@link FurtherPorts#inputsOf}. */
    public String inputsOf() {
        return more.inputsOf();
    }

    public boolean isSource() {
        return inputs.isEmpty();
    }

    /** Whether it has no output but its dead letters. */
    public boolean isSink() {
        return portsOf() == null && outputs.equals(List.of(ERRORS));
    }

    /**
     * The input ports of an operator of this type, in the order of their numbers.
     *
     * @param written the operator's fields
     */
    public List<String> inputs(Values written) {
        List<String> all = new ArrayList<>(inputs);
        if (further() != null && further().has().test(written)) {
            all.add(further().port());
        }
        if (inputsOf() != null) {
            all.addAll(written.lists(inputsOf()).keySet());
        }
        return all;
    }

    /**
     * The output ports of an operator of this type, in the order of their numbers.
     *
     * @param written the operator's fields
     */
    public List<String> outputs(Values written) {
        List<String> all = new ArrayList<>(outputs);
        all.addAll(outputs.indexOf(OUT) + 1, declared(written));
        return all;
    }

    /** Whether packets that come too late leave by that port. One that the fields name so is a port like any other. */
    public boolean isForLate(String output) {
        return output.equals(LATE) && outputs.contains(LATE);
    }

    /** Those that must be linked: what leaves by them would be lost, and nobody would know. */
    public List<String> neededOutputs(Values written) {
        List<String> needed = new ArrayList<>(outputs.contains(OUT) ? List.of(OUT) : List.of());
        needed.addAll(declared(written));
        return needed;
    }

    private List<String> declared(Values written) {
        return portsOf() == null ? List.of() : List.copyOf(written.namedTexts(portsOf()).keySet());
    }

    /** The object in the file: its own fields among the shared ones. */
    Section section() {
        List<FieldSpec> all = new ArrayList<>();
        all.add(CommonFields.DOC_FIELD);
        all.addAll(fields);
        if (!isSink()) {
            all.add(isSource() ? ASSIGNED : KEPT);
        }
        all.add(ACCEPT);
        all.add(PARALLELISM);
        if (!isSource()) {
            all.add(MOST_INSTANCES);
        }
        all.add(ON_ERROR);
        if (!isSource()) {
            all.add(SCHEDULE);
        }
        return new Section(word, doc, all);
    }

    /** Its word as one says it: {@code an aggregate}, {@code an http_sink}, {@code a filter}. */
    public String withArticle() {
        boolean vowel = "aeiou".indexOf(word.charAt(0)) >= 0 || word.startsWith("http") || word.startsWith("mqtt")
                || word.equals("sql");
        return (vowel && !word.startsWith("uni") ? "an " : "a ") + word;
    }
}
