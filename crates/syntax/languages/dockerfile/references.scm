; A stage is made from an image or from another stage.
(from_instruction (image_spec name: (image_name) @base))
