package io.despina.catalogue;

import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.plan.OperatorPlanner;
import io.despina.plan.Outcome;
import io.despina.plan.Site;

/** One operator type: its declaration, and how it is planned. What it plans are {@link MakingSpec}s. */
abstract class Definition implements OperatorPlanner {
    private final OperatorType type;

    Definition(OperatorType type) {
        this.type = type;
    }

    final OperatorType type() {
        return type;
    }

    @Override
    public Outcome fed(Site site, Outcome declared) {
        return site.refuse(site.operator().place(), Rule.INPUT, "`" + site.operator().id()
                + "` is not a source: it cannot take rows", "give them to the source before it");
    }
}
