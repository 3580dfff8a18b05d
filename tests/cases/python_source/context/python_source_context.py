def rows(context):
    yield context.options["word"], context.operator, context.instance, context.instances
