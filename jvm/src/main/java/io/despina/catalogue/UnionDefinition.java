package io.despina.catalogue;

import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.stateless.Relay;
import io.despina.plan.Outcome;
import io.despina.plan.Site;
import java.util.List;

/** {@code union}. */
public final class UnionDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("union",
            "Makes one stream of several that have the same columns; link all of them to `in`. Their "
            + "packets "
            + "mix in no order.",
            List.of("in"), List.of("out", "errors"), List.of(), """
                "all": {"type": "union"}
                """);

    UnionDefinition() {
        super(TYPE);
    }

    @Override
    public Outcome plan(Site site) {
        return Outcome.of(new UnionSpec(), site.input());
    }

    /** Several streams into one, in no order: they meet in its port, and it has but to pass them on. */
    public record UnionSpec() implements MakingSpec {
        @Override
        public boolean passesOn() {
            return true;
        }

        @Override
        public Operator make(Making making) {
            return new Relay();
        }
    }
}
