package io.despina.plan;

import io.despina.descriptor.Diagnostics;

/** What the steps of planning one graph share. */
public record Planning(Settings settings, PlanOptions options, Diagnostics diagnostics, ExpressionChecker expressions) {
}
