package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.spec.OnError;
import io.despina.spec.Partition;

/** Reports what cannot run on Spark, with the reason ({@code check --for spark} and {@code --for spark-streaming}). */
final class SparkForm {
    private final Target target;
    private final Diagnostics diagnostics;

    SparkForm(Target target, Diagnostics diagnostics) {
        this.target = target;
        this.diagnostics = diagnostics;
    }

    void check(PlannedOperator operator, Graph.Operator written) {
        Place place = written.place();
        operator.spec().sparkGaps(target).forEach(gap -> none(place, gap.why(), gap.hint()));
        if (StandardStreams.uses(operator.spec())) {
            none(place, "`-` is a standard stream of the command, which Spark's tasks do not have", "give a path");
        }
        boolean letters = operator.spec().lettersOnSpark();
        boolean skips = operator.spec().skipsOnSpark();
        if (operator.onError() == OnError.DEAD_LETTER && !letters || operator.onError() == OnError.SKIP && !skips) {
            none(written.fields().place("on_error"), skips ? "nothing leaves a sink there"
                    : "on Spark an error in an expression fails the job", "use on_error fail" + (skips ? " or skip" : ""));
        }
        if (target == Target.SPARK_STREAMING && operator.assigns() != null && operator.assigns().isPerKey()) {
            none(written.place(), "a stream has one watermark there, and `per` gives each key a clock of its own",
                    "leave `per` out of its event_time");
        }
        if (operator.assigns() != null && operator.assigns().advances()) {
            diagnostics.warning(written.fields().place("event_time"), Rule.SILENT, "on Spark `advance` has no form: "
                    + (target == Target.SPARK_STREAMING ? "there packets alone move a watermark, so what waits for a silent "
                    + "stream leaves with its next packets" : "in batch all packets are there, so no result waits for a "
                    + "watermark and no packet is late"), "it is the engine's; \"accept\": [\"silent\"] takes this");
        }
        for (PlannedPort port : operator.outputs()) {
            if (port.linked() && (operator.type().isForLate(port.name()) || port.name().equals("errors") && !letters)) {
                none(place, "port `" + port.name() + "` has no packets there", "leave its links out");
            }
        }
    }

    void check(PlannedLink link, Place place) {
        if (link.partition() instanceof Partition.Broadcast) {
            none(place, "broadcast gives every packet once per instance, and Spark has no instances", "use another partition");
        }
    }

    private void none(Place place, String why, String hint) {
        String form = target == Target.SPARK_STREAMING ? " as a stream: " : ": ";
        diagnostics.error(place, Rule.NO_SPARK_FORM, "this has no form on Spark" + form + why, hint);
    }
}
