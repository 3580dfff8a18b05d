package io.despina.plan;

import io.despina.descriptor.Diagnostics;

/** Common to all steps of planning one graph. */
public record Planning(Settings settings, PlanOptions options, Diagnostics diagnostics, ExpressionChecker expressions) {
}
