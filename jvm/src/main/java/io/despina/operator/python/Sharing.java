package io.despina.operator.python;

import io.despina.operator.OperatorContext;
import io.despina.python.FunctionSpec;
import io.despina.python.FunctionSpec.Behind;
import io.despina.python.InstancePlace;
import java.util.ArrayList;
import java.util.List;

/**
 * Operators in a row whose functions one process may call.
 *
 * @param crossings of the resource; null where nothing is shared
 * @param operator  this one's id
 * @param behind    those behind this one, in order
 */
public record Sharing(Crossings crossings, String operator, List<Next> behind) {
    static final Sharing NONE = new Sharing(null, null, List.of());

    /**
     * An operator behind another.
     *
     * @param function as {@link Behind} has it
     */
    public record Next(String operator, Behind function) {
        private Behind at(OperatorContext context) {
            InstancePlace place = new InstancePlace(operator, context.instance(), context.parallelism());
            return new Behind(function.function().at(place), function.rows(), function.bytes());
        }
    }

    public Sharing {
        behind = List.copyOf(behind);
    }

    /** The crossing into an instance; null if none of it shares its process. */
    Crossing before(OperatorContext context) {
        return crossings == null ? null : crossings.into(operator, context.instance());
    }

    /** The crossings to the instances behind that one, as far as they are here. */
    List<Crossing> row(OperatorContext context) {
        List<Crossing> row = new ArrayList<>();
        for (Next each : behind) {
            Crossing next = crossings == null ? null : crossings.into(each.operator(), context.instance());
            if (next == null) {
                break;
            }
            row.add(next);
        }
        return row;
    }

    /** The function with those whose instances are here. */
    FunctionSpec shared(FunctionSpec function, OperatorContext context) {
        return function.before(behind.subList(0, row(context).size()).stream().map(each -> each.at(context)).toList());
    }
}
