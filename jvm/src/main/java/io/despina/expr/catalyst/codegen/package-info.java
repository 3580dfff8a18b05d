/**
 * From a checked plan to code: {@link io.despina.expr.catalyst.codegen.Binder} binds expressions to packets,
 * {@link io.despina.expr.catalyst.codegen.Codegen} compiles them. Leaf expressions of our own read the inputs; generated code
 * writes results straight into the open packet.
 */
package io.despina.expr.catalyst.codegen;
