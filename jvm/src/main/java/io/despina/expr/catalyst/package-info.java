/**
 * Spark's Catalyst on packets: only this package and its sub-packages import Spark. {@code analysis} turns text into a checked
 * plan and makes it fit to compile, {@code codegen} binds and compiles it, {@code aggregate} does both for aggregates.
 * {@code row} shows packets to Spark as its rows, and {@code text} calls Spark's readers and writers of csv, json and text.
 */
package io.despina.expr.catalyst;
