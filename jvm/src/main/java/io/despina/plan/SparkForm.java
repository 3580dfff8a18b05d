package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.spec.Follow;
import io.despina.spec.OnError;
import io.despina.spec.Partition;

/** What has no form on Spark, with the reason ({@code check --for spark}). */
final class SparkForm {
    private final Diagnostics diagnostics;

    SparkForm(Diagnostics diagnostics) {
        this.diagnostics = diagnostics;
    }

    void check(PlannedOperator operator, Graph.Operator written) {
        Place place = written.place();
        if (operator.spec() instanceof OperatorSpec.GeneratorSource source) {
            if (source.rows() instanceof OperatorSpec.Rows.Packets) {
                none(place, "relay packets are for measuring the engine", "use rows of type select");
            }
            if (source.count() == OperatorSpec.GeneratorSource.UNBOUNDED) {
                none(place, "a generator without `count` has no end", "give it a count");
            }
        }
        if (operator.spec() instanceof OperatorSpec.FileSource source
                && (source.follow() != Follow.NO || source.repeat() != 1)) {
            none(place, "`follow` and `repeat` are the engine's", "leave them out");
        }
        if (StandardStreams.uses(operator.spec())) {
            none(place, "`-` is a standard stream of the command, which Spark's tasks do not have", "give a path");
        }
        boolean parsing = operator.spec() instanceof OperatorSpec.FileSource;
        if (operator.onError() != OnError.FAIL && !parsing) {
            none(written.fields().place("on_error"), "on Spark an error in an expression fails the job", "use on_error fail");
        }
        for (PlannedPort port : operator.outputs()) {
            if (port.linked() && (port.name().equals("late") || port.name().equals("errors") && !parsing)) {
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
        diagnostics.error(place, Rule.NO_SPARK_FORM, "this has no form on Spark: " + why, hint);
    }
}
