package io.despina.catalogue;

import io.despina.operator.Operator;
import io.despina.operator.source.InputSource;
import io.despina.plan.Outcome;
import io.despina.plan.Stream;

/** A source whose packets the user's program gives, in the schema of what the graph has in its place. */
public record FedSourceSpec() implements MakingSpec {

    /** @param declared as the graph has it */
    static Outcome inPlaceOf(Outcome declared) {
        return new Outcome(new FedSourceSpec(), new Stream(declared.out().schema(), null, false), declared.keys(),
                "the rows given to it come in one order");
    }

    @Override
    public Operator make(Making making) {
        return new InputSource(making.around().python().input(making.id()), making.operator().assigns());
    }
}
